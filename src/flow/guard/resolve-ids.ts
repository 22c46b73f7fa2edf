import type { Block } from '../../domain/block/block.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'

/** The fewest characters of an id that callers may give. */
export const ID_PREFIX_MIN = 4

/** The result of resolving ids and prefixes. */
export interface ResolvedIds {
  /** Whole ids, unique, in the order given. */
  readonly ids: readonly string[]
  /** The whole id by what was given for it. */
  readonly byGiven: ReadonlyMap<string, string>
  /** Prefixes that match no block or are too short, as given, unique. */
  readonly unknown: readonly string[]
  /** Prefixes that match several blocks, with the error for each; empty unless they are to be reported. */
  readonly ambiguous: ReadonlyMap<string, ElfmemError>
}

/**
 * Turns whole ids and unique prefixes into whole ids, in one statement however many there are.
 * Throws `AMBIGUOUS_ID` with the candidates, unless they are to be reported; unknown ones are returned, so that a batch
 * can report them.
 */
export async function resolveIds(
  tx: StoreReader,
  given: readonly string[],
  { ambiguous: handling = 'throw' }: { readonly ambiguous?: 'throw' | 'report' } = {},
): Promise<ResolvedIds> {
  const prefixes = [...new Set(given.map((each) => each.trim()))]
  const matches = prefixes.length === 0 ? new Map() : await tx.idsByPrefix(prefixes)
  const byGiven = new Map<string, string>()
  const unknown: string[] = []
  const unclear = new Map<string, ElfmemError>()
  for (const prefix of prefixes) {
    const candidates: readonly string[] = matches.get(prefix) ?? []
    const [only] = candidates
    if (only === undefined || prefix.length < ID_PREFIX_MIN) unknown.push(prefix)
    else if (candidates.length > 1) unclear.set(prefix, ambiguous(prefix, candidates))
    else byGiven.set(prefix, only)
  }
  const [first] = unclear.values()
  if (first && handling === 'throw') throw first
  return { ids: [...new Set(byGiven.values())], byGiven, unknown, ambiguous: unclear }
}

/** The whole ids in the order given, repeats kept; throws `NOT_FOUND` when any is unknown. */
export async function requireIds(tx: StoreReader, given: readonly string[]): Promise<string[]> {
  const { byGiven, unknown } = await resolveIds(tx, given)
  if (unknown.length > 0) throw notFound(unknown)
  return given.map((each) => byGiven.get(each.trim()) as string)
}

/** The one block an id or unique prefix stands for; throws `NOT_FOUND` or `AMBIGUOUS_ID`. */
export async function requireBlock(tx: StoreReader, given: string): Promise<Block> {
  const [block] = await tx.blocks(await requireIds(tx, [given]))
  if (!block) throw notFound([given])
  return block
}

function ambiguous(prefix: string, candidates: readonly string[]): ElfmemError {
  return new ElfmemError('AMBIGUOUS_ID', `More than one block id begins with "${prefix}".`, {
    recovery: `Give more characters of the id; two that begin so are ${candidates.join(' and ')}.`,
    details: { prefix, candidates },
  })
}

/** The refusal of ids that no block has. */
export function notFound(unknown: readonly string[]): ElfmemError {
  return new ElfmemError('NOT_FOUND', `No block has the id ${unknown.map((id) => `"${id}"`).join(', ')}.`, {
    recovery: `Take an id from recall(); at least its first ${ID_PREFIX_MIN} characters.`,
    details: { ids: unknown },
  })
}
