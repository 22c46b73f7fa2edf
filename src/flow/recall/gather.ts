import { ANSWER_SIZE } from '../../config/match-calibration.ts'
import type { Block } from '../../domain/block/block.ts'
import { mayHoldTogether } from '../../domain/block/validity/validity.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { readOutdated } from '../blocks/grounds.ts'
import type { Engine } from '../engine/engine.ts'
import { cut } from './answer-size.ts'
import {
  type Choice,
  choose,
  disputesIn,
  type Entries,
  entriesOf,
  type Moved,
  objectionsTo,
} from './choose.ts'
import { findInSession } from './effects.ts'
import { type Entry, entryOf, type Mark } from './entry.ts'
import { type FindRequest, type Found, find } from './find.ts'
import type { Asked } from './match.ts'
import type { Candidate, Dropped } from './rank.ts'
import type { Counterpoint } from './render.ts'
import { replacedBy } from './replaced.ts'
import { orderByGuess, readTold } from './versions.ts'

/** The found and chosen candidates, with the blocks. */
export interface Gathered {
  readonly found: Found
  readonly entries: readonly Entry[]
  readonly counterpoints: readonly Counterpoint[]
  readonly dropped: readonly Dropped[]
  readonly leftWith: Choice['leftWith']
  readonly choice: Choice
  /** Ids of entries that came in for an unlikely guess. */
  readonly brought: ReadonlySet<string>
}

/** Finds, chooses and reads the blocks of an answer. */
export async function gather(
  engine: Engine,
  tx: StoreReader,
  question: string | undefined,
  request: FindRequest,
): Promise<Gathered> {
  const { graph } = engine.settings
  const inSession = request.frame.sessionOnly && question === undefined
  const found = inSession ? await findInSession(engine, tx, request.filter) : await find(engine, tx, request)
  const { choice, disputes, marks, brought, blocks: known } = await chosenOf(engine, tx, found, request)
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const chosen = choice.chosen.map(({ facts }) => facts.id)
  const past = request.asked?.past
  const under = past === undefined ? choice.versions : choice.under
  const versionsOf = (id: string) => (under.get(id) ?? []).map((each) => each.id)
  const visible = new Set([...chosen, ...chosen.flatMap(versionsOf)])
  const bearing = found.quality === 'nothing' ? [] : chosen.filter((id) => !guaranteed.has(id))
  const objections = objectionsTo(bearing, disputes, {
    isVisible: (id) => visible.has(id),
    most: graph.counterpoints,
  })
  const blocks = await livingBlocks(tx, [...visible, ...objections.map(({ id }) => id)], known)
  const heads = chosen.flatMap((id) => blocks.get(id) ?? [])
  const chains = heads.map((entry) => ({
    entry,
    versions: versionsOf(entry.id).flatMap((id) => blocks.get(id) ?? []),
  }))
  const replaced = await replacedBy(tx, chains, {
    filter: request.filter,
    isVisible: (id) => visible.has(id),
    isOfPast: past !== undefined,
  })
  const outdated = await readOutdated(tx, chosen, request.at)
  const ranked = new Map(found.ranked.map((each) => [each.facts.id, each]))
  const opposed = disputes.filter(({ one, other }) => {
    const [first, second] = [blocks.get(one), blocks.get(other)]
    return !first || !second || mayHoldTogether(first, second)
  })
  // A block that stands under another was replaced, and contradicts nothing any more.
  const stands = new Set([...chosen, ...objections.map(({ id }) => id)])
  const isLiving = (id: string) => stands.has(id) || (!visible.has(id) && engine.index.get(id) !== undefined)
  const marksOf = (id: string): readonly Mark[] => [
    ...marks.flatMap(({ newer, older }): Mark[] => (newer === id ? [{ kind: 'newer', of: older }] : [])),
    ...opposed.flatMap(({ one, other }): Mark[] => {
      const [of] = one === id ? [other] : other === id ? [one] : []
      return of !== undefined && isLiving(of) ? [{ kind: 'contradicts', of }] : []
    }),
  ]
  const read = { choice, blocks, guaranteed, replaced, outdated, past, marksOf }
  return {
    ...{ found, brought },
    entries: choice.chosen.flatMap((candidate) =>
      entryOf(engine, candidate, { ...read, candidateOf: (id) => ranked.get(id) }),
    ),
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      const isBoth = block && against && mayHoldTogether(block, against)
      return isBoth ? [{ block, to: against, marks: marksOf(id) }] : []
    }),
    // What an edge brought is left out for what befell it then.
    dropped: [...found.dropped.filter(({ id }) => !ranked.has(id)), ...choice.dropped],
    leftWith: choice.leftWith,
    choice,
  }
}

/** Returns the entries of an answer in their order, what contradicts what around them, and the guesses that the answer states. */
async function chosenOf(engine: Engine, tx: StoreReader, found: Found, request: FindRequest) {
  const { recall } = engine.settings
  const { asked, filter } = request
  // A question about a date to come asks for what will hold then.
  const at = asked?.ahead ?? request.at
  const told = await readTold(engine, tx, { found, filter, at })
  const disputes = disputesIn({ edges: found.edges, pairs: told.pairs })
  const { guaranteed } = found
  const isAsked = ({ facts }: Candidate) => {
    const content = told.blocks.get(facts.id)?.content
    return asked !== undefined && content !== undefined && isVerbatim(content, asked.text)
  }
  const verbatim = found.ranked.find(isAsked)?.facts.id
  const grouped = entriesOf(found.ranked, { ...told, guaranteed, disputes, verbatim })
  const limit = request.topK ?? (recall.topK || undefined)
  const { entries, size } =
    limit === undefined ? nearFirst(grouped, asked) : { entries: grouped.entries, size: limit }
  const isDispute = (older: string, newer: string) =>
    disputes.some(({ one, other }) => (one === older ? other === newer : one === newer && other === older))
  const isFixed = (older: string, newer: string) => older === verbatim || isDispute(older, newer)
  const isTold = (id: string) => grouped.under.has(id) || told.blocks.get(id)?.supersedes !== undefined
  const { order, marks, moved, brought } = await orderByGuess(engine, tx, entries, {
    ...{ asked, size, isLimit: limit !== undefined, at, blocks: told.blocks, isTold, isFixed },
  })
  const why = asked?.past === undefined ? 'newer' : 'past'
  const moves = new Map([
    ...grouped.moves,
    ...[...moved].map(([id, before]): [string, Moved] => [id, { why, before }]),
  ])
  const choice = choose({ ...grouped, entries, moves }, guaranteed, {
    order,
    versionsMost: recall.versionsMost,
  })
  const more = await linksOfBrought(tx, choice.chosen)
  return {
    ...{ choice, marks, brought, blocks: told.blocks },
    disputes: more === undefined ? disputes : [...disputes, ...disputesIn(more)],
  }
}

/**
 * Returns the entries that belong to an answer before the others, and their number: those near the best by their match, whatever
 * experience made of their score; what an edge of these brings, or a rule puts before them; and what reports say answered such a
 * question.
 */
function nearFirst({ entries, candidates, moves }: Entries, asked: Asked | undefined) {
  if (asked === undefined) return { entries, size: ANSWER_SIZE.queryless }
  const rankOf = (id: string | undefined) => {
    const { match } = candidates.get(id ?? '') ?? {}
    // A block that steps back behind a look-alike bears on the question no less.
    return match ? match.rank - match.coverage : 0
  }
  const ranks = entries.map(({ facts: { id }, path, terms }) => {
    const isProven = terms.some(({ name, amount }) => name === 'asked' && amount > 0)
    const own = Math.max(rankOf(id), rankOf(path?.seed), rankOf(moves.get(id)?.before))
    return isProven ? Number.POSITIVE_INFINITY : own
  })
  const best = Math.max(Number.EPSILON, ...ranks.filter(Number.isFinite))
  const near = new Set(
    cut(
      ranks.map((rank) => rank / best),
      asked.above,
    ),
  )
  const sides = [true, false].map((isNear) => entries.filter((_, place) => near.has(place) === isNear))
  return { entries: sides.flat(), size: near.size }
}

/** Formatting adds at most this many characters to a text that is the question. */
const FORMATTING_MOST = 40

function isVerbatim(content: string, question: string): boolean {
  return Math.abs(content.length - question.length) <= FORMATTING_MOST && isSameText(content, question)
}

/** Reads edges and pairs around the entries that an edge brought, which were not looked up yet; undefined if there is none. */
async function linksOfBrought(tx: StoreReader, chosen: readonly Candidate[]) {
  const ids = chosen.filter(({ path, match }) => path && !match).map(({ facts }) => facts.id)
  return ids.length === 0 ? undefined : await tx.links(ids)
}

/** The living ones of some blocks by their ids; those that were not read before in one statement. */
async function livingBlocks(
  tx: StoreReader,
  wanted: readonly string[],
  known: ReadonlyMap<string, Block>,
): Promise<ReadonlyMap<string, Block>> {
  const missing = await tx.blocks(wanted.filter((id) => !known.has(id)))
  const all = [...wanted.flatMap((id) => known.get(id) ?? []), ...missing]
  return new Map(all.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]))
}

/** All blocks that may stand in the text of an answer. */
export function blocksOf({ entries, counterpoints }: Gathered): Block[] {
  return [
    ...entries.flatMap(({ block, versions, outdated }) => [
      block,
      ...versions.map((each) => each.block),
      ...outdated.map(({ ground }) => ground),
    ]),
    ...counterpoints.map(({ block }) => block),
  ]
}
