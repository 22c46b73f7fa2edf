import { ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { type Page, pageFor, wrapped } from '../screen/style.ts'
import { groundOf } from './ground.ts'
import { carryOut } from './plans/carry-out.ts'
import { planUninstall } from './plans/plan-uninstall.ts'
import { diffText, type Shown } from './plans/preview.ts'
import { reachOf, reachText } from './reach.ts'
import { clientsNamed } from './records/choose.ts'

/** Takes out of clients' files what `init --client` put there. The memory stays. */
export async function runUninstall(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, uid, manifest } = groundOf(io)
  const isMeant = meant(values.client)
  const kept = manifest.list().filter(({ entries }) => entries.some(({ clients }) => clients.some(isMeant)))
  const reach = reachOf(kept, flags, ground)
  const page = pageFor(io.stdout, io)
  const { plan, shown, isDone, tell } = await carryOut(
    () => planUninstall(reach.files, { manifest, uid, isMeant }),
    {
      flags,
      io,
      world: { manifest, uid },
      pageOf: ({ changes, refusals }, diffs) =>
        [
          ...reachText(reach, flags, ground).map((line) => `${wrapped(line, page, 0)}\n`),
          diffText(diffs, page),
          changes.length + refusals.length === 0
            ? 'No file of a client has anything of elfmem in it that it put there.\n'
            : '',
        ].join(''),
    },
  )
  const { refusals: left } = plan
  const others = reach.others.map(({ path }) => path)
  if (global.json) io.stdout.write(`${jsonText({ changes: shown, left, others, done: isDone })}\n`)
  else tell(endText(shown, isDone, page))
  return left.length > 0 ? EXIT_REFUSED : EXIT_OK
}

function endText(shown: readonly Shown[], isDone: boolean, { style }: Page): string {
  if (!isDone) return shown.length > 0 ? 'Nothing was changed.\n' : ''
  const lines = shown.map(({ path }) => `${style.good('took out')} ${harmlessLine(path)}`)
  return [...lines, 'The memory stays where it is.', ''].join('\n')
}

function meant(given: ParsedFlags['values'][string]): (client: string) => boolean {
  if (given === undefined)
    throw new ElfmemError('INVALID_INPUT', 'elfmem uninstall needs a client.', {
      recovery: 'Run `elfmem uninstall --client all`, or name one in the place of all.',
    })
  const clients = clientsNamed(given)?.map(({ name }) => name)
  return (client) => clients?.includes(client) ?? true
}
