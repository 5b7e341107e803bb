// For each piece of text that is seen: its contrast with what is behind it, as WCAG 2 computes it.
() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((n, i) => n * a + below[i] * (1 - a));
  const light = (colour) => {
    const [r, g, b] = colour.map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (at.matches?.("g.shape")) layers.push(rgba(getComputedStyle(at.querySelector("rect, circle")).fill));
      else if (!(at instanceof SVGElement)) layers.push(rgba(style.backgroundColor));
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const box = element.getBoundingClientRect();
    if (!text || !element.checkVisibility() || box.width < 2 || box.right < 0 || element.closest("title, script, noscript, style")) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const front = over(rgba(element instanceof SVGElement ? style.fill : style.color), back);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push({ text: text.slice(0, 40), ratio: (high + 0.05) / (low + 0.05), large, disabled: !!element.closest(":disabled"), front, back });
  }
  return found;
}
