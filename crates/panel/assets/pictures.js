// Pictures by their hashes, as images or as bytes.

import { make } from "./element.js";
import { base } from "./place.js";

/** Makes an image show a picture or its thumbnail. */
export async function paint(image, sha256, isSmall = false) {
  image.src = `${base}/${isSmall ? "thumb" : "blob"}/${sha256}`;
}

/** Makes an image of a picture or its thumbnail. */
export function shot(sha256, attributes, isSmall = false) {
  const image = make("img", attributes);
  paint(image, sha256, isSmall);
  return image;
}

/** Makes a link point to a picture. */
export const lead = (anchor, sha256) => (anchor.href = `${base}/blob/${sha256}`);

/** Fetches a picture as it was recorded. */
export const recorded = async (sha256) => (await fetch(`${base}/blob/${sha256}`)).blob();
