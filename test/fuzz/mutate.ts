import fc from 'fast-check'
import { hostileKey, hostileValue } from './hostile.ts'

/** One way to spoil a value: where, how and with what. */
interface Spoiling {
  /** Steps down into the value, each taken modulo the number of ways there are. */
  readonly path: readonly number[]
  readonly how: 'replace' | 'drop' | 'add' | 'repeat'
  readonly key: string
  readonly value: unknown
}

const spoiling: fc.Arbitrary<Spoiling> = fc.record({
  path: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
  how: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'add', 'repeat'),
  key: hostileKey,
  value: hostileValue,
})

/** Values of the arbitrary, each spoilt once or twice. */
export function spoilt<T>(whole: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc
    .tuple(whole, fc.array(spoiling, { minLength: 1, maxLength: 2 }))
    .map(([value, spoilings]) => spoilings.reduce<unknown>(spoil, value))
}

function spoil(value: unknown, { path, how, key, value: put }: Spoiling): unknown {
  if (typeof value !== 'object' || value === null) return how === 'drop' ? undefined : put
  const copy = copyOf(value)
  const keys = Object.keys(copy)
  const [step = 0, ...rest] = path
  const chosen = keys[step % Math.max(1, keys.length)]
  if (how === 'add' || chosen === undefined) define(copy, key, put)
  else if (rest.length > 0 && isOpen(read(copy, chosen)))
    define(copy, chosen, spoil(read(copy, chosen), { path: rest, how, key, value: put }))
  else if (how === 'drop') Reflect.deleteProperty(copy, chosen)
  else if (how === 'repeat' && Array.isArray(copy)) copy.push(...copy.slice(0, 1_000))
  else define(copy, chosen, put)
  return copy
}

const isOpen = (value: unknown): boolean => typeof value === 'object' && value !== null
const read = (from: object, key: string): unknown => Object.getOwnPropertyDescriptor(from, key)?.value
const copyOf = (value: object): object =>
  Array.isArray(value) ? [...value] : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value))

/** Sets a key of the object itself, `__proto__` included. */
function define(target: object, key: string, value: unknown): void {
  const [index] = Array.isArray(target) && !/^\d+$/.test(key) ? [String(target.length)] : [key]
  Object.defineProperty(target, index, { value, enumerable: true, configurable: true, writable: true })
}
