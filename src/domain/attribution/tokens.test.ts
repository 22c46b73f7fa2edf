import { expect, test } from 'vitest'
import { identifiersIn } from './tokens.ts'

test.each([
  ['Staging listens on 4210.', ['4210']],
  ['It costs 4,210 crowns.', ['4210']],
  ['call http://localhost:4210/health', ['4210', 'localhost:4210', 'localhost:4210/health']],
  ['Run ./scripts/ship.sh first.', ['scripts/ship.sh', 'ship.sh']],
  ['C:\\work\\app\\main.ts', ['main.ts', 'app/main.ts', 'work/app/main.ts']],
  ['set max_retries and openMemory', ['max_retries', 'openmemory']],
  ['pass --no-cache to it', ['--no-cache']],
  ['mail ops@example.test about v1.2.3', ['ops@example.test', 'example.test', 'v1.2.3']],
  ['Ｐｏｒｔ ４２１０', ['4210']],
  ['It takes 20 minutes and 99 tries, e.g. at 7 p.m., and/or yes/no, iPhone, GitHub.', []],
  ['', []],
  ['. .. ... / // \\ : @ -- --- ~', []],
])('identifiersIn of %j gives %j', (text, identifiers) => {
  expect([...identifiersIn(text)]).toEqual(expect.arrayContaining(identifiers))
  if (identifiers.length === 0) expect([...identifiersIn(text)]).toEqual([])
})
