import { expect, test } from 'vitest'
import { withoutFences } from '../../src/domain/safety/memory-fence.ts'
import { estimateTokens } from '../../src/domain/text/text.ts'
import { openMemory } from '../../src/memory.ts'
import { hooksOf } from './helpers/hooks-of.ts'
import { addedBy, claude } from './helpers/payloads.ts'

const FACTS = [
  'Staging of the shop listens on port 4210.',
  'The shop is shipped to staging with scripts/ship.sh.',
  'scripts/ship.sh needs the variable SHOP_TOKEN.',
  'After shipping, scripts/smoke.sh checks staging of the shop.',
  'The smoke test of the shop waits 90 seconds for staging.',
  'Staging of the shop reads its settings from deploy/staging.yaml.',
  'Ana decides when the shop is shipped to production.',
  'Production of the shop is shipped on Tuesdays only.',
  'Logs of staging lie in /var/log/shop on the host sparrow.',
  'The database of staging is reset every night at three.',
  'Invoices are printed by the billing service in Lisbon.',
  'The office dog is called Biscuit.',
]

/** One task of fourteen steps, as a client that asks memory in each of them would put it. */
const STEPS = [
  'ship the shop to staging and check that it answers',
  'look how the shop is shipped to staging',
  'run scripts/ship.sh to ship the shop to staging',
  'scripts/ship.sh failed, which variable does it need',
  'set the variable and run scripts/ship.sh again',
  'which port does staging of the shop listen on',
  'check that staging answers on its port',
  'staging does not answer, look at the logs of staging',
  'where does staging of the shop read its settings from',
  'correct the port in the settings of staging',
  'ship the shop to staging again with the script',
  'run the smoke test of the shop on staging',
  'the smoke test waits for staging of the shop',
  'say how the shop was shipped to staging',
]

test('over a loop of fourteen calls, memory costs less than a third of the tokens at equal evidence', async ({
  annotate,
}) => {
  await using memory = await openMemory(':memory:')
  for (const content of FACTS) await memory.remember({ content })
  await memory.dream()
  const each = { tokens: 0, ids: new Set<string>() }
  const once = { tokens: 0, ids: new Set<string>() }
  const hooks = hooksOf(memory)
  for (const step of STEPS) {
    const { text, blocks } = await memory.recall({ query: step, tokenBudget: 600, reinforce: false })
    each.tokens += estimateTokens(text)
    for (const { id } of blocks) each.ids.add(id.slice(0, 8))
    const added = addedBy(await hooks.handle('claude-code', claude.prompt(step)))
    once.tokens += estimateTokens(added)
    for (const id of withoutFences(added).ids) once.ids.add(id)
  }
  const saved = 100 * (1 - once.tokens / each.tokens)
  await annotate(
    `tokens of memory: ${each.tokens} anew each time, ${once.tokens} once, ${saved.toFixed(1)} % less`,
  )
  // The fence around it counts, too.
  expect(saved).toBeGreaterThanOrEqual(70)
  expect([...once.ids].toSorted()).toEqual([...each.ids].toSorted())
})
