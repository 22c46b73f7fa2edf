import { describe, expect, test } from 'vitest'
import { areaUnderCurve, foreignTo } from '../../bench/locomo/foreign.ts'
import { factsOf, isoOf, toConversation } from '../../bench/locomo/loader.ts'
import { judge } from '../../bench/locomo/metrics.ts'

const sample = {
  sample_id: 'conv-0',
  conversation: {
    speaker_a: 'Ada',
    session_10: [{ speaker: 'Bo', dia_id: 'D10:1', text: 'Later' }],
    session_10_date_time: 'sometime',
    session_2: [
      { speaker: 'Ada', dia_id: 'D2:1', text: 'Look', blip_caption: 'a photo of a bridge' },
      { speaker: 'Bo', dia_id: 'D2:2', text: 'Nice' },
    ],
    session_2_date_time: '1:56 pm on 8 May, 2023',
  },
  qa: [
    { question: 'What did Ada show?', category: 4, evidence: ['D2:1'] },
    { question: 'Both?', category: 1, evidence: ['D2:1; D10:1', 'D2:99'] },
    { question: 'Where is it?', category: 2, evidence: ['D9:9'] },
    { question: 'Nobody said', category: 5, evidence: ['D2:1'] },
  ],
}

describe('a conversation is read', () => {
  const conversation = toConversation(sample)
  const { turns, questions, unresolvable } = conversation

  test('in the order of its sessions, with captions and times', () => {
    expect(turns.map(({ id }) => id)).toEqual(['D2:1', 'D2:2', 'D10:1'])
    expect(turns[0]).toEqual({
      id: 'D2:1',
      standsFor: ['D2:1'],
      speaker: 'Ada',
      content: 'Look [shares a photo of a bridge]',
      session: 'conv-0/session-2',
      at: '2023-05-08T13:56:00.000Z',
    })
    expect(turns[2]).not.toHaveProperty('at')
  })

  test('with the questions of categories 1 to 4 whose evidence is there', () => {
    expect(questions.map(({ text }) => text)).toEqual(['What did Ada show?', 'Both?'])
    expect([...(questions[1]?.evidence ?? [])]).toEqual(['D2:1', 'D10:1'])
    expect(unresolvable).toBe(1)
  })

  test('with who speaks and what asks the wrong person', () => {
    expect(conversation.speakers).toEqual(['Ada', 'Bo'])
    expect(conversation.misattributed).toEqual(['Nobody said'])
  })

  test('as facts in the order of their sessions, each standing for the turns it was noted from', () => {
    const facts = factsOf({
      ...sample,
      observation: {
        session_10_observation: { Bo: [['Bo is late.', ['D10:1', 'D2:2']]] },
        session_2_observation: { Ada: [['Ada has a bridge.', 'D2:1; D2:2']] },
      },
    })
    expect(facts.map(({ content, standsFor }) => ({ content, standsFor }))).toEqual([
      { content: 'Ada has a bridge.', standsFor: ['D2:1', 'D2:2'] },
      { content: 'Bo is late.', standsFor: ['D10:1', 'D2:2'] },
    ])
    expect(facts[0]).toMatchObject({ speaker: 'Ada', at: '2023-05-08T13:56:00.000Z' })
  })
})

test('noon and midnight are told apart', () => {
  expect(isoOf('12:05 am on 1 January, 2024')).toBe('2024-01-01T00:05:00.000Z')
  expect(isoOf('12:05 pm on 1 January, 2024')).toBe('2024-01-01T12:05:00.000Z')
  expect(isoOf(undefined)).toBeUndefined()
})

describe('an answer is judged', () => {
  const evidence = new Set(['a', 'b'])

  test('by the share of the evidence in its first places', () => {
    const ranked = [['x'], ['a'], ['x'], ['x'], ['x'], ['x'], ['b']]
    expect(judge(ranked, evidence)).toEqual({
      recall5: 0.5,
      recall10: 1,
      recall20: 1,
      hit5: 1,
      reciprocalRank: 0.5,
    })
  })

  test('counting a turn once, however many blocks stand for it', () => {
    expect(judge([['a'], ['a']], evidence).recall5).toBe(0.5)
    expect(judge([['a', 'b']], evidence).recall5).toBe(1)
  })

  test('an answer that abstained found nothing', () => {
    expect(Object.values(judge([], evidence))).toEqual([0, 0, 0, 0, 0])
  })
})

describe('what a memory cannot know', () => {
  test('is asked in questions of other conversations under the names of its own people', () => {
    const own = toConversation(sample)
    const other = { ...own, id: 'other', speakers: ['Cy', 'Ada'] }
    const asked = foreignTo(
      own,
      [
        own,
        { ...other, questions: [{ text: 'Did Cy meet Ada?', category: 1, evidence: new Set(['D2:1']) }] },
      ],
      0,
    )
    expect(asked).toEqual(['Did Ada meet Bo?'])
  })

  test('is told apart by chance at 0.5, and always at 1', () => {
    expect(areaUnderCurve([0.9, 0.8], [0.1, 0.2])).toBe(1)
    expect(areaUnderCurve([0.5], [0.5])).toBe(0.5)
    expect(areaUnderCurve([0.1, 0.9], [0.5])).toBe(0.5)
  })
})
