import { estimateTokens, preview, stripInvisible } from '../block/text.ts'
import { noteTrouble } from '../dream/judgement.ts'
import { objectsIn } from '../dream/model-judge.ts'
import { embedContents, embedOptionsOf, nameOf } from '../engine/embedding.ts'
import { type CallContext, type Engine, llmTokens, mutate, UsageMeter } from '../engine/engine.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../engine/ports.ts'
import { ElfmemError } from '../errors.ts'
import {
  budgetLeft,
  CHECKS_OF_FACTS,
  type Check,
  checkFiles,
  checksOf,
  type Facts,
  type Finding,
  fail,
  look,
  ok,
  readFacts,
  repairsDue,
  skipped,
} from './checks.ts'

/** The result of `doctor` has the checks in their order, the worst outcome, and the tokens of language models that were used. */
export type DoctorResult = ReturnType<typeof resultOf>

/**
 * Checks all parts that have to work, and goes on if one does not. Without `resolve` it asks the store alone and writes nothing; with it
 * the embedder and the model are asked once each, and the log gets an entry with the usage. With `fix` it first repairs rows and files that
 * can be made from the rest, and logs the repairs.
 */
export async function doctor(
  engine: Engine,
  { resolve, fix }: Readonly<Record<'resolve' | 'fix', boolean>>,
  given: CallContext,
): Promise<DoctorResult> {
  const looked: Check[] = []
  try {
    const repairs = fix ? [{ name: 'fix', title: 'Repairs', ...(await mend(engine, given)) }] : []
    looked.push(...(await checkFiles(engine, { full: resolve || fix, signal: given.signal })), ...repairs)
    const facts = await engine.store.read((tx) => readFacts(engine, tx))
    const { active, inbox, archived } = facts.counts
    const found = ok(`It answers: ${active} active blocks, ${inbox} waiting, ${archived} archived.`)
    looked.unshift({ ...STORE, ...found })
    if (!resolve) return resultOf([...looked, ...checksOf(CHECKS_OF_FACTS, facts, engine)])
    const meter = given.meter ?? new UsageMeter()
    const context = { ...given, meter }
    const embedding = await checkEmbedding(engine, context, facts)
    const answer = await checkAnswer(engine, context, { ...facts, meter })
    await note(engine, context, [embedding, answer])
    // The answer is newer than the last trouble of the model.
    const now = answer.outcome === 'skipped' ? facts : { ...facts, lastTrouble: undefined }
    return resultOf(
      [...looked, ...checksOf(CHECKS_OF_FACTS, now, engine), embedding, answer],
      llmTokens(meter.total),
    )
  } catch (error) {
    if (!ElfmemError.is(error) || error.code === 'CANCELLED') throw error
    return resultOf([{ ...STORE, ...fail(error.message, error.recovery) }, ...looked])
  }
}

const STORE = { name: 'store', title: 'The store answers' }

/** Repairs the findings that are safe to repair; a damaged file is left alone, since a repair could make it worse. */
async function mend(engine: Engine, context: CallContext): Promise<Finding> {
  if (engine.scope !== undefined) return skipped('The whole memory is repaired, not one scope.')
  const found = await look(engine, { full: true, signal: context.signal })
  if ('damage' in found && found.damage.length > 0)
    return skipped('A damaged file is left as it is: restore a backup.')
  const closed = (await engine.store.files?.mend()) ?? 0
  const hasOrphans = repairsDue(found).has('orphans')
  if (!hasOrphans && closed === 0) return ok('There was nothing to repair.')
  return mutate(engine, context, async ({ tx, log }) => {
    const removed = hasOrphans ? await tx.queries.removeOrphans() : 0
    const did = [
      ...(removed > 0 ? [`rows without what they belong to removed: ${removed}`] : []),
      ...(closed > 0 ? [`files closed to others: ${closed}`] : []),
    ].join(', ')
    await log({ operation: 'doctor', blockIds: [], summary: `repaired: ${did}` })
    return ok(`Repaired: ${did}.`)
  })
}

/** Writes down the usage and whether the model answers, for `status`. */
async function note(
  engine: Engine,
  context: CallContext,
  [embedding, answer]: readonly [embedding: Check, answer: Check],
): Promise<void> {
  await mutate(
    engine,
    context,
    async ({ tx, moment, log, used }) => {
      const { outcome, message, recovery = '' } = answer
      const trouble = outcome === 'ok' ? undefined : { at: moment.at, message, recovery }
      if (outcome !== 'skipped') await noteTrouble(tx, trouble)
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

function resultOf(checks: readonly Check[], tokens = 0) {
  const outcome = (['fail', 'warn'] as const).find((bad) => checks.some((check) => check.outcome === bad))
  return { checks, outcome: outcome ?? ('ok' as const), tokens }
}

/** Checks the embedder with one new text, for which no cache has a vector. */
async function checkEmbedding(
  engine: Engine,
  context: CallContext,
  { lock }: Pick<Facts, 'lock'>,
): Promise<Check> {
  const { embedder, ids } = engine
  const texts = [`Is anybody there? ${ids.random()}`]
  return asked(engine, context, { name: 'embedding', title: 'The embedder answers' }, async () => {
    const [fresh] = await embedContents(embedder, texts, embedOptionsOf(context))
    const dimensions = fresh?.vector.length ?? 0
    const given = `${embedder.model} gives vectors of ${dimensions} dimensions`
    if (lock && dimensions !== lock.dimensions)
      return fail(
        `${given}; those stored are of ${nameOf(lock)}.`,
        'Configure the model of before, or call reembed() to change all vectors.',
      )
    return ok(`${given}.`)
  })
}

/** A question with a schema, like those of judging, and room for as long an answer: some models think before they answer. */
const PROBE: Omit<ModelRequest, 'maxOutputTokens'> = {
  system:
    'A program checks whether you can be asked. Answer with the JSON object {"ok": true} and nothing else.',
  prompt: 'Is anybody there?',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['ok'],
    properties: { ok: { type: 'boolean' } },
  },
  schemaName: 'health_check',
}

/** Asks the model one tiny question; its cost goes to the meter even if no answer comes back. */
async function checkAnswer(
  engine: Engine,
  context: CallContext,
  { today, meter }: Pick<Facts, 'today'> & { readonly meter: UsageMeter },
): Promise<Check> {
  const check = { name: 'answer', title: 'The language model answers' }
  const { languageModel: model, settings } = engine
  if (model === undefined) return { ...check, ...skipped('No language model is configured.') }
  if (budgetLeft(settings.llm.tokensPerDay, today) === 0)
    return { ...check, ...skipped('Not asked: the tokens of today are used up.') }
  return asked(engine, context, check, async () => {
    meter.add({ llmCalls: 1 })
    const answer = await model.ask(
      { ...PROBE, maxOutputTokens: settings.llm.maxOutputTokens },
      context.signal ? { signal: context.signal } : {},
    )
    meter.add({
      llmInputTokens: answer.usage.inputTokens ?? estimateTokens(PROBE.system + PROBE.prompt),
      llmOutputTokens: answer.usage.outputTokens ?? estimateTokens(answer.text),
    })
    return judged(model, answer)
  })
}

function judged({ model }: LanguageModel, { text, truncated }: ModelAnswer): Finding {
  if (objectsIn(text).some(({ ok: said }) => typeof said === 'boolean'))
    return ok(`${model} answers in JSON.`)
  const said = preview(stripInvisible(text), 80)
  return fail(
    `${model} answers, but not with the whole JSON it was asked for: "${said}${truncated ? ' …' : ''}"`,
    'Raise llm.max_output_tokens if the answer was cut off; else configure a model that can answer in JSON.',
  )
}

/** Times a call of an embedder or model and turns its failure into a finding; a cancelled call throws. */
async function asked(
  { clock }: Engine,
  { signal }: CallContext,
  check: Pick<Check, 'name' | 'title'>,
  ask: () => Promise<Finding>,
): Promise<Check> {
  const started = clock.now()
  try {
    return { ...check, ...(await ask()), seconds: (clock.now() - started) / 1000 }
  } catch (error) {
    if (signal?.aborted) throw error
    if (ElfmemError.is(error)) return { ...check, ...fail(error.message, error.recovery) }
    const said = error instanceof Error ? error.message : String(error)
    return {
      ...check,
      ...fail(`It failed: ${said}`, 'Check the settings with elfmem config, then try again.'),
    }
  }
}
