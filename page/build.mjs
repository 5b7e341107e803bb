// Bundles the front end: sources in src/, the result in src/punctum/page/web or in the directory that is named.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/punctum/page/web");
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
});
for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, "src", name), join(out, name));

// The licences of all that is in the bundle, in one file beside it.
const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
const texts = [];
for (const name of Object.keys(dependencies).sort()) {
  const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
  texts.push(`${name} ${dependencies[name]}\n\n${text.trim()}\n`);
}
await writeFile(join(out, "licenses.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
