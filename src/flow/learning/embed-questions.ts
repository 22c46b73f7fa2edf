import { ElfmemError } from '../../errors.ts'
import { REPORTS_MARK, type StoredQuestion } from '../../ports/store/evidence.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import { packUnit } from '../../search/index/vectors.ts'
import { embedOptionsOf } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'

/** Of questions, in one dream: reports name them faster than that only after a change of model. */
const VECTORS_PER_DREAM = 128

/**
 * Embeds the newest questions that have no vector, because they were asked elsewhere or the model has changed. Without an
 * embedder that works they wait for another dream; this one does not fail for them.
 */
export async function newQuestionVectors(engine: Engine, context: CallContext): Promise<StoredQuestion[]> {
  const { store, experience, index, embedder } = engine
  await store.read((tx) => experience.refresh(tx, index.generation))
  const lacking = experience.lacking(VECTORS_PER_DREAM)
  if (lacking.length === 0) return []
  const texts = lacking.map(({ text }) => engine.index.read(text ?? '').toEmbed)
  const vectors = await embedder.embed(texts, embedOptionsOf(context)).catch((error: unknown) => {
    if (ElfmemError.is(error) && error.code === 'EMBEDDER_FAILED') return []
    throw error
  })
  return lacking
    .slice(0, vectors.length)
    .map((question, i) => ({ ...question, vector: packUnit(vectors[i] ?? new Float32Array()) }))
}

/** Keeps vectors of questions; none of a question that is gone meanwhile. */
export async function saveQuestionVectors(
  { experience, index, ids }: Engine,
  tx: StoreWriter,
  questions: readonly StoredQuestion[],
): Promise<void> {
  if (questions.length === 0) return
  await experience.refresh(tx, index.generation)
  const wanted = new Map(experience.lacking(questions.length).map((each) => [each.id, each]))
  const kept = questions.flatMap(({ id, vector }) => {
    const question = wanted.get(id)
    return question === undefined || vector === undefined ? [] : [{ ...question, vector }]
  })
  const gone = { goneQuestions: [], goneEvidence: [] }
  await tx.saveEvidence({ questions: kept, evidence: [], ...gone, state: { [REPORTS_MARK]: ids.random() } })
}
