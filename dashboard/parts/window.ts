/** What of a long list is in the page. */
export interface ListWindow {
  /** The first row. */
  readonly first: number
  /** Behind the last row. */
  readonly last: number
}

/** Rows beyond what is seen, on each side, so that a slow hand never sees an empty place. */
const BEYOND = 4

/** The rows that are needed where somebody has scrolled to. */
export function listWindow(
  { top, height, row }: { readonly top: number; readonly height: number; readonly row: number },
  total: number,
): ListWindow {
  const last = Math.min(total, Math.ceil((top + height) / row) + BEYOND)
  return { first: Math.max(0, Math.min(Math.floor(top / row) - BEYOND, last)), last }
}

/** Where to scroll so that a row is seen; undefined if it is. */
export function scrollFor(
  { top, height, row }: { readonly top: number; readonly height: number; readonly row: number },
  index: number,
): number | undefined {
  const begins = index * row
  if (begins >= top && begins + row <= top + height) return undefined
  return Math.max(0, begins - Math.max(0, (height - row) / 2))
}
