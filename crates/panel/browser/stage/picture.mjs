// Small PNG pictures. They show a bar whose position depends on the number and, if they have marks, a red square.

import { deflateSync } from "node:zlib";

picture.width = 512;
picture.height = 288;

/** Returns the bytes of a PNG file. */
export function picture(number, marked) {
  const rows = Buffer.alloc((picture.width * 3 + 1) * picture.height);
  const paint = painter(rows, picture.width);
  const bar = (number * 7) % (picture.width - 20);
  for (let y = 40; y < 240; y += 1) for (let x = bar; x < bar + 20; x += 1) paint(x, y, [255, 255, 255]);
  for (let y = 100; marked && y < 140; y += 1) for (let x = 200; x < 240; x += 1) paint(x, y, [255, 0, 0]);
  return file(picture, chunk("IDAT", deflateSync(rows)));
}

let desktop;

/** Returns the bytes of a PNG file full of small things. Only a comment has the number. */
export function desktopPicture(number) {
  desktop ??= chunk("IDAT", deflateSync(smallThings(desktopPicture)));
  return file(desktopPicture, chunk("tEXt", Buffer.from(`Comment\0${number}`, "latin1")), desktop);
}
// A measurement needs a picture as large as a desktop's, and a program that was built for speed.
[desktopPicture.width, desktopPicture.height] = process.env.BROWSER_MEASURES ? [1568, 896] : [784, 448];

function smallThings({ width, height }) {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  const paint = painter(rows, width);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const mixed = Math.imul((x >> 2) * 7919 + (y >> 3) * 104_729, 2_654_435_761) >>> 24;
      paint(x, y, mixed < 64 ? [mixed, mixed, 90] : [245, 245, 245]);
    }
  return rows;
}

const painter = (rows, width) => (x, y, colour) => rows.set(colour, y * (width * 3 + 1) + 1 + x * 3);

function file({ width, height }, ...chunks) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), ...chunks, chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(sum(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Computes a PNG checksum (CRC-32). Node has provided one itself only since version 20. */
function sum(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
