/** Made-up signs from an alphabet, the same each time; joined with its beginning only when the test runs. */
function made(alphabet: string): (length: number) => string {
  return (length) => {
    let state = 7919 * length + alphabet.length
    return Array.from({ length }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
    }).join('')
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
export const hex = made('0123456789abcdef')
export const digits = made('0123456789')
export const upper = made(`${LOWER.toUpperCase()}234567`)
export const lower = made(`${LOWER}0123456789`)
export const alnum = made(`${LOWER}${LOWER.toUpperCase()}0123456789`)
export const bech = made('023456789acdefghjklmnpqrstuvwxyz')
export const base58 = made('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')
export const uuid = [hex(8), hex(4), hex(4), hex(4), hex(12)].join('-')

/** Parts that only together look like a key, so that no file of the repository holds one. */
export function joined(...parts: readonly string[]): string {
  return parts.join('')
}

/** A block between BEGIN and END lines, with lines of 64 signs. */
export function block(name: string, lines: number, end = '\n'): string {
  const rim = (word: string) => joined('-----', word, ' ', name, '-----')
  return [rim('BEGIN'), ...Array.from({ length: lines }, (_, at) => alnum(64 - (at % 3))), rim('END')].join(
    end,
  )
}
