// Pictures by their hashes, assembled from the file's contents. A picture is stored whole, or as rectangles over
// another one.

import { get, held } from "./server.js";
import { make } from "./element.js";

const SMALL = 320;
/** How many pictures to keep ready, and how many of their canvases. */
const MOST = 400;
const MOST_BITMAPS = 12;

const addresses = new Map();
const bitmaps = new Map();

/** Keeps a promise while there is room. Drops the least recently used one first. */
function kept(map, key, most, make, drop) {
  const known = map.get(key) ?? make();
  map.delete(key);
  map.set(key, known);
  if (map.size > most) {
    const [oldest, value] = map.entries().next().value;
    map.delete(oldest);
    value.then(drop, () => {});
  }
  return known;
}

const bytesOf = (number) => new Blob([held(`picture-${number}`)], { type: "image/png" });

/** Returns the canvas of a picture. */
const canvasOf = (sha256, pictures) =>
  kept(bitmaps, sha256, MOST_BITMAPS, () => drawn(sha256, pictures), () => {});

/** Draws a picture's parts, and all parts below them, over the nearest picture that is ready. */
async function drawn(sha256, pictures) {
  const { width, height } = pictures[sha256];
  let below = sha256;
  const parts = [];
  do {
    parts.unshift(...pictures[below].parts);
    below = pictures[below].over;
  } while (below && !bitmaps.has(below));
  const decoded = parts.map(async ([x, y, number]) => [await createImageBitmap(bytesOf(number)), x, y]);
  const canvas = make("canvas", { width, height });
  const context = canvas.getContext("2d");
  if (below) context.drawImage(await canvasOf(below, pictures), 0, 0);
  for (const part of decoded) context.drawImage(...(await part));
  return canvas;
}

async function address(sha256, isSmall) {
  const pictures = await get("pictures");
  if (!pictures[sha256]) throw new Error("This picture is not in the file.");
  const { width, height, over, parts } = pictures[sha256];
  if (!isSmall && !over) return URL.createObjectURL(bytesOf(parts[0][2]));
  let canvas = await canvasOf(sha256, pictures);
  if (isSmall && width > SMALL) {
    const small = make("canvas", { width: SMALL, height: Math.max(1, Math.round((height * SMALL) / width)) });
    const context = small.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(canvas, 0, 0, small.width, small.height);
    canvas = small;
  }
  return URL.createObjectURL(await new Promise((done) => canvas.toBlob(done)));
}

/** Makes an image show a picture or its thumbnail. */
export async function paint(image, sha256, isSmall = false) {
  const make = () => address(sha256, isSmall);
  image.src = await kept(addresses, `${sha256} ${isSmall}`, MOST, make, (address) => URL.revokeObjectURL(address));
}

/** Makes an image of a picture or its thumbnail. */
export function shot(sha256, attributes, isSmall = false) {
  const image = make("img", attributes);
  paint(image, sha256, isSmall).catch(() => image.remove());
  return image;
}

/** Hides the link, because pictures have no address here. */
export const lead = (anchor) => (anchor.hidden = true);

/** Returns nothing, because the file does not contain the pictures as they were recorded. */
export const recorded = async () => null;
