// Formats numbers and moments for people to read.

import { make } from "./element.js";

const whole = new Intl.NumberFormat("en");

export const count = (number) => whole.format(number);

export const some = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 999_950) return `${(number / 1000).toFixed(1)} kB`;
  return `${(number / 1e6).toFixed(1)} MB`;
}

/** Formats milliseconds in a suitable unit: the one that the rounded number fits. */
export function duration(ms) {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats the time since a moment in whole seconds, for a clock that ticks once per second. */
export const seconds = (ms) => `${count(Math.max(0, Math.floor(ms / 1000)))} s`;

/** Makes a moment as its local time of day, with date, time and zone in its title. Returns null if there is no moment. */
export function moment(time) {
  const date = new Date(time ?? NaN);
  if (Number.isNaN(date.getTime())) return null;
  const title = date.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" });
  return make("time", { datetime: date.toISOString(), title }, clock(date));
}

/** Formats a moment as a time of day, with the date unless that is today's. */
function clock(date) {
  const now = new Date();
  const hours = date.toLocaleTimeString("en-GB");
  if (date.toDateString() === now.toDateString()) return hours;
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year })}, ${hours}`;
}
