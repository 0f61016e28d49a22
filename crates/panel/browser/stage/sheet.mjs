// One picture of a page at several sizes, for the documentation.

/** The sizes of the page, each with its caption. At 200 %, a window is half as wide for the page. */
const SIZES = [
  ["390 px", 390, 844],
  ["768 px", 768, 1024],
  ["1440 px at 200 %", 720, 450],
  ["1440 px", 1440, 900],
  ["2560 px", 2560, 1440],
];
/** The height of each in the picture, in pixels, and the quality of the JPEG. */
const HEIGHT = 460;
const QUALITY = 72;

/** Saves `page` at each size, next to each other, in `file`. Returns the number of bytes. */
export async function saveSheet(page, file) {
  const before = page.viewportSize();
  const shots = [];
  for (const [caption, width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    shots.push({ caption, png: await page.screenshot() });
  }
  await page.setViewportSize(before);
  const figures = shots.map(({ caption, png }) => `<figure><img height="${HEIGHT}" src="data:image/png;base64,${png.toString("base64")}"><figcaption>${caption}</figcaption></figure>`);
  const sheet = await page.context().browser().newPage({ viewport: { width: 800, height: 600 }, deviceScaleFactor: 1 });
  try {
    await sheet.setContent(`<style>body{margin:0;display:inline-flex;gap:16px;padding:16px;background:#777;color:#fff;font:16px "DejaVu Sans",sans-serif}figure{margin:0}img{display:block;margin-bottom:6px}</style>${figures.join("")}`);
    const { width, height } = await sheet.locator("body").boundingBox();
    await sheet.setViewportSize({ width: Math.ceil(width), height: Math.ceil(height) });
    return (await sheet.screenshot({ path: file, type: "jpeg", quality: QUALITY })).length;
  } finally {
    await sheet.close();
  }
}
