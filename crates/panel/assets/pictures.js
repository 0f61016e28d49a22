// Pictures by their hashes, as images or as bytes.

import { make } from "./element.js";
import { base } from "./place.js";

/** Makes an image show a picture of a run, or its thumbnail. */
export async function paint(image, sha256, isSmall = false, run = base) {
  image.src = `${run}/${isSmall ? "thumb" : "blob"}/${sha256}`;
}

/** Makes an image of a picture of a run, or of its thumbnail. */
export function shot(sha256, attributes, isSmall = false, run = base) {
  const image = make("img", attributes);
  paint(image, sha256, isSmall, run);
  return image;
}

/** Makes a link point to a picture of a run. */
export const lead = (anchor, sha256, run = base) => (anchor.href = `${run}/blob/${sha256}`);

/** Fetches a picture as it was recorded. */
export const recorded = async (sha256) => (await fetch(`${base}/blob/${sha256}`)).blob();
