import { expect } from 'vitest'
import { type BlockEvidence, readExperience, type StoredQuestion, saveEvidence } from '../../src/store/log.ts'
import type { Store } from '../../src/store/transaction.ts'
import { insertAll } from './harness.ts'
import type { Suite } from './suite.ts'

type Change = Parameters<typeof saveEvidence>[1]

const NONE: Change = { questions: [], evidence: [], goneQuestions: [], goneEvidence: [], state: {} }

const asked = (id: string, fields: Partial<StoredQuestion> = {}): StoredQuestion => ({
  ...{ id, text: `what is ${id}`, vector: new Uint8Array([1, 2, 255]), hours: 1 },
  ...fields,
})
const told = (question: string, blockId: string, fields: Partial<BlockEvidence> = {}): BlockEvidence => ({
  ...{ question, blockId, helped: 1, misled: 0, graded: 0, beside: 0 },
  ...fields,
})
const save = (store: Store, change: Partial<Change>) =>
  store.write((tx) => saveEvidence(tx, { ...NONE, ...change }))
const experienceOf = (store: Store) => store.read((tx) => readExperience(tx))

/** Registers tests of reports on blocks and of the questions that they are about. */
export function checkEvidence({ check }: Suite): void {
  check('saveEvidence keeps, replaces and removes what was reported on questions', async (store) => {
    await insertAll(store, ['a', 'b'])
    const evidence = [told('', 'b', { beside: 2 }), told('q1', 'a'), told('q2', 'a', { misled: 0.5 })]
    const given = [...evidence.toReversed(), told('q1', 'nobody')]
    await save(store, { questions: [asked('q2'), asked('q1')], evidence: given })
    expect(await experienceOf(store)).toEqual({ questions: [asked('q1'), asked('q2')], evidence })
    await save(store, {
      questions: [{ id: 'q1', hours: 7 }],
      evidence: [told('q1', 'a', { helped: 3 })],
      goneQuestions: ['q2', 'nobody'],
      goneEvidence: [
        ['q2', 'a'],
        ['', 'b'],
      ],
    })
    const questions = [{ id: 'q1', hours: 7 }]
    expect(await experienceOf(store)).toEqual({ questions, evidence: [told('q1', 'a', { helped: 3 })] })
  })
}
