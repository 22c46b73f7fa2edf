import type { CallableMemory } from '../../../engine/open-memory.ts'
import { decisions } from '../../../operations/decide/decisions.ts'
import { answerText } from '../../prose.ts'
import { wireOf } from '../../wire.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { commandProse, openCliMemory } from '../operation.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'
import { decideOneByOne } from './one-by-one.ts'
import type { Wanted } from './walk.ts'

/** Decides about what waits, one by one at a terminal; elsewhere it lists what waits and says how to decide. */
export async function runReview({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { kind, scope } = values
  const wanted: Wanted = {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
  }
  const { ask, stdout } = io
  const { memory } = await openCliMemory(decisions, global, io)
  try {
    if (ask === undefined || global.json || stdout.isTTY !== true)
      await list(memory, wanted, { io, json: global.json })
    else await decideOneByOne(memory, wanted, { ...io, ask })
    return EXIT_OK
  } finally {
    await memory.close()
  }
}

async function list(
  memory: Pick<CallableMemory, 'call'>,
  wanted: Wanted,
  { io, json }: { readonly io: CliIo; readonly json: boolean },
): Promise<void> {
  const output = (await memory.call(decisions, wanted)) as Awaited<ReturnType<typeof decisions.run>>
  if (json) {
    io.stdout.write(`${jsonText(wireOf(decisions).toOutput(output))}\n`)
    return
  }
  const lines = [
    await answerText(decisions, output, commandProse),
    ...(output.decisions.length > 0 ? ['Decide with: elfmem decide ID --choice NAME'] : []),
    ...(output.cursor === undefined ? [] : [`For more: elfmem decisions --cursor ${output.cursor}`]),
  ]
  io.stdout.write(`${setOnPage(lines.join('\n'), pageFor(io.stdout, io))}\n`)
}
