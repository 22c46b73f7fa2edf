import { isExpired } from '../../adapters/project/tokens/token-store.ts'
import type { TokenIndex } from '../../engine/ports.ts'
import { holderOf } from '../http/gate.ts'
import { type HolderBounds, type Holders, holderOfRecord, isSame } from '../mcp/http/holders.ts'
import type { ServiceHolder, ServiceHolders } from './memories.ts'

/** Returns the holders of tokens in files, which are compared with each of them. */
export function holdersInFiles(holders: Holders): ServiceHolders {
  return {
    find: async (hash) => holderOf(hash, holders.all()),
    still: async (some) => {
      const all = holders.all()
      return some.filter((each) => all.includes(each))
    },
  }
}

/** The most holders that are kept, so that a holder is the same object as before. */
const HOLDERS_KEPT = 10_000

/** Returns the holders of tokens in a table, which is asked for each token by its hash. */
export function holdersInTable(tokens: TokenIndex, bounds: HolderBounds): ServiceHolders {
  const known = new Map<string, ServiceHolder>()
  const find = async (hash: Buffer) => {
    const sha256 = hash.toString('hex')
    const record = await tokens.find(sha256)
    const isOpen = record !== undefined && !isExpired(record, Date.now())
    const found = isOpen ? holderOfRecord(record, bounds) : undefined
    const before = known.get(sha256)
    known.delete(sha256)
    if (found === undefined) return undefined
    const holder = before && isSame(before, found) ? before : found
    known.set(sha256, holder)
    const [oldest] = known.keys()
    if (known.size > HOLDERS_KEPT && oldest !== undefined) known.delete(oldest)
    return holder
  }
  return {
    find,
    still: async (some) => {
      const found = await Promise.all(some.map(({ hash }) => find(hash)))
      return some.filter((each, at) => each === found[at])
    },
  }
}
