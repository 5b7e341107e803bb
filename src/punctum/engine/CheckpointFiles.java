import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** The files of this machine, checksums included, without a process for each file to set its permissions. */
public class CheckpointFiles extends LocalFileSystem {
    static final String SCHEME = "punctum";

    public CheckpointFiles() {
        super(new Raw());
    }

    public String getScheme() {
        return SCHEME;
    }

    static class Raw extends RawLocalFileSystem {
        public URI getUri() {
            return URI.create(SCHEME + ":///");
        }

        public void setPermission(Path path, FsPermission wanted) throws IOException {
            String user = wanted.getUserAction().SYMBOL;
            String others = wanted.getGroupAction().SYMBOL + wanted.getOtherAction().SYMBOL;
            Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(user + others));
        }
    }
}
