import { expect, test } from 'vitest'
import type { BlockStatus } from './block.ts'
import { canMove } from './block.ts'

const STATUSES: readonly BlockStatus[] = ['inbox', 'active', 'archived']

test('canMove allows to promote, archive and restore a block, and nothing else', () => {
  const moves = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`),
  )
  expect(moves).toEqual([
    'inbox active',
    'inbox archived',
    'active archived',
    'archived inbox',
    'archived active',
  ])
})
