import { firstId } from '../block/ids.ts'
import { count, shortened } from '../block/text.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { IMPORT_FROM } from '../history/undone.ts'
import { admitAll, textOf } from '../intake/admit.ts'
import { guardSecrets } from '../intake/guard-secrets.ts'
import { BELIEF, confidenceOf } from '../outcome/formulas.ts'
import { appendOutcomes, type OutcomeRecord } from '../store/log.ts'
import { claimedInstant } from './claimed-instant.ts'
import type { Importing } from './prepare.ts'
import { type Standing, standingsOf } from './standings.ts'
import { storable } from './storable.ts'
import type { Prepared } from './tally.ts'

/** Signs of the source of a report. */
const SOURCE_MOST = 128

/** Where the first text of each key is. */
export type Places = Map<string, string>

/**
 * Takes texts in, in one transaction; nothing is written when all are known. What is known stays as it is: an import adds
 * nothing to a block that was there, so the same file can be taken in at any time. Evidence and reports come with their
 * block or not at all.
 *
 * @param places gains where the texts are
 */
export async function takeTexts(
  importing: Importing,
  texts: readonly Prepared[],
  places: Places,
): Promise<void> {
  const { engine, context, format } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  if (looked.every(({ how }) => how !== 'new'))
    return note(importing, { texts, found: looked, ids: [] }, places)
  await mutate(engine, context, async (mutation) => {
    // Another process may have written since.
    const found = await standingsOf(importing, mutation.tx, texts)
    const fresh = texts.filter((_, at) => found[at]?.how === 'new')
    const drafts = fresh.map(({ draft }) => draft)
    const ids = (await admitAll(engine, mutation, { drafts, first: 0 })).map(({ block }) => block.id)
    await keepOutcomes(importing, mutation, { fresh, ids })
    await mutation.log({
      operation: IMPORT_FROM,
      blockIds: ids,
      summary: `${count(ids.length, 'new block')} of ${texts.length} from ${format}`,
      before: importing.tally.nextPart(),
    })
    note(importing, { texts, found, ids }, places)
  })
}

/**
 * Says what would become of texts, and writes nothing.
 *
 * @param seen the ids that texts before would have; gains those of these
 */
export async function lookAtTexts(
  importing: Importing,
  texts: readonly Prepared[],
  { places, seen }: { readonly places: Places; readonly seen: Set<string> },
): Promise<void> {
  const { engine } = importing
  const looked = await engine.store.read((tx) => standingsOf(importing, tx, texts))
  const ids: string[] = []
  const found = looked.map((standing, at): Standing => {
    const { draft } = texts[at] as Prepared
    const blockId = draft.id ?? firstId(textOf(engine, draft), engine.ids.sha256)
    if (standing.how === 'new' && seen.has(blockId)) return { how: 'known', blockId }
    if (standing.how === 'new') ids.push(blockId)
    seen.add(blockId)
    return standing
  })
  note(importing, { texts, found, ids }, places)
}

interface Placed {
  readonly texts: readonly Prepared[]
  readonly found: readonly Standing[]
  /** Of the new ones, in their order. */
  readonly ids: readonly string[]
}

function note({ tally }: Importing, { texts, found, ids }: Placed, places: Places): void {
  let fresh = 0
  const placed = found.map((standing) => {
    if (standing.how === 'new') return ids[fresh++]
    return standing.how === 'again' ? undefined : standing.blockId
  })
  for (const [at, prepared] of texts.entries()) {
    const standing = found[at] as Standing
    tally.texts += 1
    if (standing.how === 'new') tally.add(prepared)
    else if (standing.how === 'moved on') tally.movedOn += 1
    else tally.known += 1
    const blockId = placed[standing.how === 'again' ? standing.at : at]
    if (prepared.key !== undefined && blockId !== undefined && !places.has(prepared.key))
      places.set(prepared.key, blockId)
  }
}

interface Fresh {
  readonly fresh: readonly Prepared[]
  readonly ids: readonly string[]
}

/** Reports that led to the evidence of new blocks; those of other files say only that somebody reported. */
async function keepOutcomes(
  { engine, tally }: Importing,
  { tx, moment }: Mutation,
  { fresh, ids }: Fresh,
): Promise<void> {
  const records: OutcomeRecord[] = []
  for (const [at, { draft, outcomes }] of fresh.entries()) {
    const confidence = confidenceOf(draft.evidence ?? { successes: 0, failures: 0 })
    for (const { signal, weight, source, at: when } of outcomes) {
      const { input, redacted } = await guardSecrets(
        { source: storable(source) },
        engine.settings.memory.secrets,
      ).catch(() => ({ input: { source: '' }, redacted: [] }))
      tally.redact(redacted)
      records.push({
        blockId: ids[at] as string,
        signal: within(signal, 1),
        weight: within(weight, 100),
        source: shortened(input.source, SOURCE_MOST),
        confidenceBefore: confidence,
        confidenceAfter: confidence,
        at: claimedInstant(tally, when) ?? moment.at,
      })
    }
  }
  if (records.length > 0) await appendOutcomes(tx, records, BELIEF.reportsKept)
}

function within(value: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, value)) : 0
}
