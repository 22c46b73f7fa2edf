/** `1 block`, `2 blocks`; the plural is `one` with an s unless given. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
