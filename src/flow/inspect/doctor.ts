import { ElfmemError } from '../../errors.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { llmTokens, noteTrouble, UsageMeter } from '../engine/usage.ts'
import { checkAnswer, checkEmbedding } from './ask.ts'
import { checksAtRest } from './at-rest.ts'
import { type Check, type CheckOutcome, skipped, trouble } from './check.ts'
import { type Facts, readFacts } from './facts.ts'
import { checkErasing, checkFiles, repairCheck, repairsDue, repairWords } from './files.ts'
import type { KeptSecrets } from './kept-secrets.ts'

/** The checks in the order in which they were made, and how the worst of them ended. */
export interface DoctorResult {
  readonly checks: readonly Check[]
  /** The worst of them; `ok` when nothing is wrong. */
  readonly outcome: Exclude<CheckOutcome, 'skipped'>
  /** Of language models, used by this call. */
  readonly tokens: number
  /** Where secrets are kept, if they were looked for. */
  readonly kept?: KeptSecrets
}

/** The options of a call of doctor. */
interface Asked {
  readonly resolve: boolean
  readonly fix: boolean
  readonly secrets: boolean
}

/**
 * Looks at all that has to work, and goes on where something does not. Without `resolve` it asks the store alone and
 * writes nothing; with it the embedder and the model are asked once each, which is logged with what it used. With `fix`
 * it first repairs what can be made again from the rest, and logs what it repaired. With `secrets` it looks through all
 * that is kept for what looks like a secret.
 */
export async function doctor(
  engine: Engine,
  { resolve, fix, secrets }: Asked,
  given: CallContext,
): Promise<DoctorResult> {
  const started = engine.clock.now()
  let findings: Facts
  let file: readonly Check[] = []
  let kept: KeptSecrets | undefined
  let looked: readonly Check[] = []
  try {
    const repairs = fix ? [await mend(engine, given)] : []
    file = [...(await checkFiles(engine, { full: resolve || fix, signal: given.signal })), ...repairs]
    if (engine.scope === undefined) file = [...file, ...(await checkErasing(engine))]
    if (secrets) {
      const { checkSecrets, keptSecrets } = await import('./kept-secrets.ts')
      kept = await keptSecrets(engine, given)
      looked = [checkSecrets(kept)]
    }
    findings = await engine.store.read((tx) => readFacts(engine, tx))
  } catch (error) {
    return resultOf([storeFailed(error), ...file], { tokens: 0 })
  }
  const { active, inbox, archived } = findings.counts
  const store: Check = {
    name: 'store',
    outcome: 'ok',
    message: `It answers: ${active} active blocks, ${inbox} waiting, ${archived} archived.`,
    seconds: (engine.clock.now() - started) / 1000,
  }
  const done = kept === undefined ? {} : { kept }
  if (!resolve)
    return resultOf([store, ...file, ...checksAtRest(engine, findings), ...looked], { tokens: 0, ...done })
  const meter = given.meter ?? new UsageMeter()
  const context = { ...given, meter }
  const embedding = await checkEmbedding(engine, context, findings)
  const answer = await checkAnswer(engine, context, { ...findings, meter })
  await note(engine, context, [embedding, answer])
  // What the model said last is known better now.
  const now = answer.outcome === 'skipped' ? findings : { ...findings, lastTrouble: undefined }
  const tokens = llmTokens(meter.total)
  return resultOf([store, ...file, ...checksAtRest(engine, now), ...looked, embedding, answer], {
    tokens,
    ...done,
  })
}

function storeFailed(error: unknown): Check {
  if (!ElfmemError.is(error) || error.code === 'CANCELLED') throw error
  return trouble('fail', 'store', error.message, error.recovery)
}

/** Repairs what is safe to repair: nothing that a damaged file would be made worse by. */
async function mend(engine: Engine, context: CallContext): Promise<Check> {
  const { files } = engine.store
  if (files === undefined) return skipped('fix', 'There is no file of its own to repair here.')
  const found = await files.look({ full: true, signal: context.signal })
  if (found.damage.length > 0) return skipped('fix', 'A damaged file is left as it is: restore a backup.')
  const due = await repairsDue(engine, found)
  const repairs = await files.mend({
    rows: due.has('orphans') || due.has('sums'),
    dropPacked: due.has('packed'),
  })
  const did = repairWords(repairs)
  if (did !== '')
    await mutate(engine, context, ({ log }) =>
      log({ operation: 'doctor', blockIds: [], summary: `repaired: ${did}` }),
    )
  return repairCheck(repairs)
}

/** Writes down what was used and whether the model answers, for status. */
async function note(
  engine: Engine,
  context: CallContext,
  [embedding, answer]: readonly [embedding: Check, answer: Check],
): Promise<void> {
  await mutate(
    engine,
    context,
    async ({ tx, moment, log, used }) => {
      if (answer.outcome !== 'skipped')
        await noteTrouble(
          tx,
          answer.outcome === 'ok'
            ? undefined
            : { at: moment.at, message: answer.message, recovery: answer.recovery ?? '' },
        )
      await log({
        operation: 'doctor',
        blockIds: [],
        summary: `embedder: ${embedding.outcome}, language model: ${answer.outcome}`,
        ...used,
      })
    },
    { undoable: false },
  )
}

function resultOf(checks: readonly Check[], done: Pick<DoctorResult, 'tokens' | 'kept'>): DoctorResult {
  const outcome = (['fail', 'warn'] as const).find((bad) => checks.some((check) => check.outcome === bad))
  return { checks, outcome: outcome ?? 'ok', ...done }
}
