import type { Told } from './line.ts'

/** Remembers which blocks a session learned and saw, as answers tell it. */
export class Trail {
  learned: string | undefined
  recalled: readonly string[] = []
  readonly seen = new Set<string>()
  #isOver = false

  /** Forgets all of it, since another session begins. */
  begin(): void {
    this.learned = undefined
    this.recalled = []
    this.seen.clear()
    this.#isOver = false
  }

  /** The session is over: the next write begins another one. */
  end(): void {
    this.#isOver = true
  }

  note(name: string, input: object, output: Told): void {
    const learned = learnedBy(name, output)
    const recalled =
      name === 'recall' && output.recallId !== undefined ? idsIn(output, 'blockIds') : undefined
    const touched = [...learned, ...(recalled ?? []), ...touchedBy(name, input as Told, output)]
    if (this.#isOver && touched.length > 0) this.begin()
    this.learned = learned.at(-1) ?? this.learned
    this.recalled = recalled ?? this.recalled
    // A beginning of an id counts as the block that is known by it.
    for (const id of touched) if (![...this.seen].some((each) => each.startsWith(id))) this.seen.add(id)
  }
}

function learnedBy(name: string, output: Told): readonly string[] {
  const isNew = name === 'learnDocument' ? Number(output.chunksCreated) > 0 : name === 'setup'
  if (isNew) return idsIn(output, 'blockIds')
  if (name === 'decide') return idsIn(output, 'blockId')
  if (name !== 'remember' && name !== 'rememberMany') return []
  const made = [output, ...objectsIn(output.results)].filter(({ status }) => status === 'created')
  return made.flatMap((each) => idsIn(each, 'blockId'))
}

function touchedBy(name: string, input: Told, output: Told): readonly string[] {
  if (/^connect(?:s|ByQuery)?$/.test(name)) {
    const undone = ['dry_run_preview', 'insufficient_confidence']
    const all = [output, ...objectsIn([output.connectResult]), ...objectsIn(output.results)]
    const made = all.filter(({ action }) => !undone.includes(String(action)))
    return made.flatMap((each) => idsIn(each, 'sourceId', 'targetId'))
  }
  if (name !== 'outcome' && name !== 'settle') return []
  const skipped = objectsIn(output.skipped).flatMap((each) => idsIn(each, 'id'))
  const apart = new Set([...idsIn(output, 'queued'), ...skipped])
  const judged = objectsIn(output.verdicts).flatMap((each) => idsIn(each, 'blockId'))
  const named = idsIn(input, 'blockIds', 'helped', 'misled', 'beside')
  return [...idsIn(output, 'credited'), ...named, ...judged].filter((id) => !apart.has(id))
}

/** Returns the ids under some keys, each of which has one or a list of them. */
function idsIn(told: Told, ...keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => told[key]).filter((each) => typeof each === 'string')
}

function objectsIn(value: unknown): readonly Told[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}
