/** What a screen reads from the address; a key that is not there is undefined. */
export type Query = Readonly<Record<string, string | undefined>>

/** Where the page is: the name of a screen and what it shows. */
export interface Place {
  readonly screen: string
  readonly query: Query
}

/** Reads a place from an address of this page. */
export function placeOf(pathname: string, search: string): Place {
  const screen = pathname.replace(/^\/+|\/+$/g, '')
  return {
    screen: screen === '' ? 'overview' : screen,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** The address of a place; empty values are left out, and the order of keys does not matter. */
export function addressOf({ screen, query }: Place): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(given.sort(([one], [other]) => (one < other ? -1 : 1))).toString()
  return `/${screen === 'overview' ? '' : screen}${search === '' ? '' : `?${search}`}`
}
