/** The fields that have a value; for optional fields, which are absent and never `undefined`. */
export function defined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { readonly [K in keyof T]?: Exclude<T[K], undefined> }
}
