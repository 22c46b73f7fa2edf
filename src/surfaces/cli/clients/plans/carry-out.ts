import { ElfmemError } from '../../../../errors.ts'
import type { ParsedFlags } from '../../flags.ts'
import type { CliIo } from '../../io.ts'
import { pageFor, setOnPage } from '../../screen/style.ts'
import { type Applying, applyAll } from '../files/change.ts'
import type { Plan } from './plan.ts'
import { refusalText, type Shown, shownOf } from './preview.ts'

/** A plan, and if it was carried out. */
interface CarriedOut {
  readonly plan: Plan
  readonly shown: readonly Shown[]
  readonly isDone: boolean
  /** Says something to a person, unless nothing is to be said. */
  readonly tell: (text: string) => void
}

interface Carrying {
  readonly flags: ParsedFlags
  readonly io: CliIo
  readonly world: Applying
  /** The page that shows a plan, without what it refuses. */
  readonly pageOf: (plan: Plan, shown: readonly Shown[]) => string
}

/** Shows what a plan changes, asks, and does that and nothing else. What it refuses is said, also with `--quiet`. */
export async function carryOut(makePlan: () => Plan, carrying: Carrying): Promise<CarriedOut> {
  const { flags, io, world, pageOf } = carrying
  const { global, values } = flags
  const plan = makePlan()
  const { changes, refusals } = plan
  const shown = await shownOf(changes)
  const isDue = changes.length > 0 && values['dry-run'] !== true
  // Whoever is asked sees what for.
  const isSilent = global.json || (global.quiet && (!isDue || values.yes === true))
  const tell = (text: string) => {
    if (!isSilent && text !== '') io.stdout.write(text)
  }
  tell(pageOf(plan, shown))
  const told = isSilent ? io.stderr : io.stdout
  if (refusals.length > 0 && !global.json) told.write(`${refusalText(refusals, pageFor(told, io))}\n`)
  const isDone = isDue && (shown.length === 0 || (await isAgreed(flags, io)))
  // What was shown is what is done; where nobody looked, what the files are by then counts.
  const isLooked = values.yes !== true
  if (isDone) await applyAll(io.home, () => (isLooked ? plan : makePlan()).changes, world)
  return { plan, shown, isDone, tell }
}

/**
 * True if the changes that were shown are to be made: by `--yes`, or by a yes at a terminal.
 *
 * @throws `INVALID_INPUT` where nobody can be asked
 */
async function isAgreed({ global, values }: ParsedFlags, io: CliIo): Promise<boolean> {
  if (values.yes === true) return true
  if (io.ask === undefined || global.json)
    throw new ElfmemError('INVALID_INPUT', 'Nobody can be asked here, so nothing was changed.', {
      recovery: 'Look at the changes with --dry-run, and make them with --yes.',
    })
  const said = await io.ask(setOnPage('Make these changes? (yes/no)', pageFor(io.stderr, io)))
  return /^y(?:es)?$/i.test(said.trim())
}
