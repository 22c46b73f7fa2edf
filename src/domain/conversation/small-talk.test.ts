import { expect, test } from 'vitest'
import { isSmallTalk } from './small-talk.ts'

test.each([
  ...[
    '',
    '  ',
    '…',
    '👍',
    '👍🏽!!',
    'ok',
    'OK.',
    'Thanks!',
    'thank you very much',
    'You’re welcome.',
    "that's it",
    'go on',
  ],
  ...[
    'yes, please continue',
    'Danke, sehr gut!',
    'Merci beaucoup',
    's’il vous plaît',
    'sí, gracias',
    'obrigado',
    'va bene',
  ],
  ...['bedankt', 'да, спасибо', '好的', 'ありがとう', '감사합니다', '-'.repeat(100_000)],
])('isSmallTalk of %j is true', (text) => {
  expect(isSmallTalk(text.slice(0, 100_000))).toBe(true)
})

test.each([
  ...[
    '4210',
    'port?',
    'Ana',
    'use pnpm',
    'yes, Tuesday',
    'ok, but not on Fridays',
    'fix it',
    'No, it is 4211.',
    '北京',
  ],
  ...[
    'I like tea',
    'that is wrong',
    'Thanks to Ben the harbour is open.',
    'สวัสดีชาวโลก',
    'ok '.repeat(9),
    `ok${' '.repeat(300)}4210`,
  ],
])('isSmallTalk of %j is false', (text) => {
  expect(isSmallTalk(text)).toBe(false)
})
