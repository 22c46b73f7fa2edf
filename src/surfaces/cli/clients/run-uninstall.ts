import { ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { type Page, pageFor, wrapped } from '../screen/style.ts'
import { applyAll } from './files/change.ts'
import { groundOf } from './ground.ts'
import { planUninstall } from './plan-uninstall.ts'
import { diffText, isAgreed, refusalText, type Shown, shownOf } from './preview.ts'
import { reachOf, reachText } from './reach.ts'
import { ALL, clientsNamed } from './records/table.ts'

/** Takes out of clients' files what `init --client` put there. The memory stays. */
export async function runUninstall(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, uid, manifest } = groundOf(io)
  const isMeant = meant(values.client)
  const kept = manifest.list().filter(({ entries }) => entries.some(({ clients }) => clients.some(isMeant)))
  const reach = reachOf(kept, flags, ground)
  const { files } = reach
  const plan = planUninstall(files, { manifest, uid, isMeant })
  const { changes, left } = plan
  const shown = await shownOf(changes)
  const page = pageFor(io.stdout, io)
  const isDue = changes.length > 0 && values['dry-run'] !== true
  // Whoever is asked sees what for.
  const isSilent = global.json || (global.quiet && (!isDue || values.yes === true))
  const tell = (text: string) => {
    if (!isSilent && text !== '') io.stdout.write(text)
  }
  for (const line of reachText(reach, flags, ground)) tell(`${wrapped(line, page, 0)}\n`)
  tell(diffText(shown, page))
  const said = isSilent ? io.stderr : io.stdout
  if (left.length > 0 && !global.json) said.write(`${refusalText(left, pageFor(said, io))}\n`)
  if (changes.length + left.length === 0)
    tell('No file of a client has anything of elfmem in it that it put there.\n')
  const isDone = isDue && (shown.length === 0 || (await isAgreed(flags, io)))
  const now = () => (values.yes === true ? planUninstall(files, { manifest, uid, isMeant }) : plan).changes
  if (isDone) await applyAll(io.home, now, { manifest, uid })
  if (global.json)
    io.stdout.write(
      `${jsonText({ changes: shown, left, others: reach.others.map(({ path }) => path), done: isDone })}\n`,
    )
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
  const names = (Array.isArray(given) ? given : [given]).map(String)
  if (names.includes(ALL)) return () => true
  const clients = clientsNamed(names).map(({ name }) => name)
  return (client) => clients.includes(client)
}
