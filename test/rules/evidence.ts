import type { BlockEvidence, StoredQuestion } from '../../src/ports/store/evidence.ts'
import type { StoreWriter } from '../../src/ports/store/transaction.ts'
import { anOperation, insertAll, type Suite } from '../../src/testing/harness.ts'

const NONE = { questions: [], evidence: [], goneQuestions: [], goneEvidence: [], state: {} }

function asked(id: string, fields: Partial<StoredQuestion> = {}): StoredQuestion {
  return { id, text: `what is ${id}`, vector: new Uint8Array([1, 2, 255]), hours: 1, ...fields }
}

function told(question: string, blockId: string, fields: Partial<BlockEvidence> = {}): BlockEvidence {
  return { question, blockId, helped: 1, misled: 0, graded: 0, beside: 0, ...fields }
}

/** Promises about what was reported on which question. */
export function checkEvidence({ check, expect }: Suite): void {
  check('keeps questions and what was reported on them, by question and then by block', async (store) => {
    await insertAll(store, ['a', 'b'])
    const evidence = [
      told('', 'b', { beside: 2 }),
      told('q1', 'a'),
      told('q1', 'b'),
      told('q2', 'a', { misled: 0.5 }),
    ]
    await store.write((tx) =>
      tx.saveEvidence({ ...NONE, questions: [asked('q2'), asked('q1')], evidence: evidence.toReversed() }),
    )
    const { questions, evidence: kept } = await store.read((tx) => tx.experience())
    expect(questions).toEqual([asked('q1'), asked('q2')])
    expect(kept).toEqual(evidence)
  })

  check('replaces what was reported, and removes what is to go', async (store) => {
    await insertAll(store, ['a', 'b'])
    await store.write((tx) =>
      tx.saveEvidence({
        ...NONE,
        questions: [asked('q1'), asked('q2')],
        evidence: [told('q1', 'a'), told('q2', 'a')],
      }),
    )
    await store.write((tx) =>
      tx.saveEvidence({
        ...NONE,
        questions: [{ id: 'q1', hours: 7 }],
        evidence: [told('q1', 'a', { helped: 3 })],
        goneQuestions: ['q2', 'nobody'],
        goneEvidence: [
          ['q2', 'a'],
          ['q2', 'b'],
        ],
      }),
    )
    expect(await store.read((tx) => tx.experience())).toEqual({
      questions: [{ id: 'q1', hours: 7 }],
      evidence: [told('q1', 'a', { helped: 3 })],
    })
  })

  check('takes no evidence about a block that is not there', async (store) => {
    await insertAll(store, ['a'])
    await store.write((tx) => tx.saveEvidence({ ...NONE, evidence: [told('q', 'nobody'), told('q', 'a')] }))
    expect((await store.read((tx) => tx.experience())).evidence).toEqual([told('q', 'a')])
  })

  check(
    'shows a scope what was reported on its own blocks and asked in it, and nothing else',
    async (store) => {
      await insertAll(store, ['mine'], { scope: 'one' })
      await insertAll(store, ['theirs'], { scope: 'two' })
      const [one, two] = [store.within('one'), store.within('two')]
      const both = [told('q', 'mine'), told('q', 'theirs')]
      await one.write((tx) => tx.saveEvidence({ ...NONE, questions: [asked('q')], evidence: both }))
      await two.write((tx) =>
        tx.saveEvidence({ ...NONE, questions: [asked('q', { hours: 9 })], evidence: both }),
      )
      expect(await one.read((tx) => tx.experience())).toEqual({
        questions: [asked('q')],
        evidence: [told('q', 'mine')],
      })
      expect(await two.read((tx) => tx.experience())).toEqual({
        questions: [],
        evidence: [told('q', 'theirs')],
      })
      expect((await store.read((tx) => tx.experience())).evidence).toEqual(both)
    },
  )

  check('lets a question asked in a scope stay there when the whole store reports on it', async (store) => {
    await store.within('one').write((tx) => tx.saveEvidence({ ...NONE, questions: [asked('q')] }))
    await store.write((tx) => tx.saveEvidence({ ...NONE, questions: [asked('q', { hours: 4 })] }))
    const { questions } = await store.within('one').read((tx) => tx.experience())
    expect(questions).toEqual([asked('q', { hours: 4 })])
  })

  check('names the newest recalls with what they asked and showed, newest first', async (store) => {
    await insertAll(store, ['a', 'b'])
    const ids = await store.write(async (tx) => [
      await recalled(tx, 'a', 'first'),
      await recalled(tx, 'b', 'second'),
    ])
    const recalls = await store.read((tx) => tx.recalls({ limit: 9 }))
    expect(recalls.map(({ id, text, blockIds }) => [id, text, blockIds])).toEqual([
      [ids[1], 'second', ['b']],
      [ids[0], 'first', ['a']],
    ])
    expect(await store.read((tx) => tx.recalls({ limit: 1 }))).toEqual(recalls.slice(0, 1))
    expect(await store.read((tx) => tx.recalls({ limit: 1, id: ids[0] as number }))).toEqual(recalls.slice(1))
    expect(await store.read((tx) => tx.recalls({ limit: 1, id: 4_000 }))).toEqual([])
  })

  check('forgets in time what was asked in all but the newest recalls', async (store) => {
    await insertAll(store, ['a'])
    await store.write(async (tx) => {
      for (let i = 0; i < 64; i++) await recalled(tx, 'a', `question ${i}`)
    })
    const recalls = await store.read((tx) => tx.recalls({ limit: 99 }))
    expect(recalls.length <= 2 + 32).toBe(true)
    expect(recalls[0]?.text).toBe('question 63')
  })

  check(
    'drops the vectors of all questions, those of the newest recalls too, in every scope',
    async (store) => {
      await insertAll(store, ['a'])
      await store.write((tx) => recalled(tx, 'a', 'asked'))
      await store.within('one').write((tx) => tx.saveEvidence({ ...NONE, questions: [asked('q')] }))
      await store.within('two').write((tx) => tx.dropQuestionVectors())
      const { questions } = await store.read((tx) => tx.experience())
      expect(questions).toEqual([{ id: 'q', text: 'what is q', hours: 1 }])
      expect((await store.read((tx) => tx.recalls({ limit: 9 }))).map(({ vector }) => vector)).toEqual([
        undefined,
      ])
    },
  )
}

async function recalled(tx: StoreWriter, blockId: string, text: string): Promise<number> {
  const id = await tx.log(anOperation({ operation: 'recall', blockIds: [blockId] }))
  await tx.noteAsked(id, { text, vector: new Uint8Array([3]) }, 2)
  return id
}
