import { expect, test } from 'vitest'
import { toConversation } from '../../bench/locomo/loader.ts'

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

test('a conversation is read in the order of its sessions, with captions and times', () => {
  const { turns } = toConversation(sample)
  expect(turns.map(({ id }) => id)).toEqual(['D2:1', 'D2:2', 'D10:1'])
  expect(turns[0]).toMatchObject({
    content: 'Look [shares a photo of a bridge]',
    at: '2023-05-08T13:56:00.000Z',
  })
  expect(turns[2]).not.toHaveProperty('at')
})

test('the questions are those of categories 1 to 4 whose evidence is there', () => {
  const { questions, unresolvable, misattributed } = toConversation(sample)
  expect(questions.map(({ text }) => text)).toEqual(['What did Ada show?', 'Both?'])
  expect([...(questions[1]?.evidence ?? [])]).toEqual(['D2:1', 'D10:1'])
  expect([unresolvable, misattributed]).toEqual([1, ['Nobody said']])
})
