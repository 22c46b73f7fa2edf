type Told = Readonly<Record<string, unknown>>

/** Remembers which blocks a session learned and saw, as answers tell it. */
export class Trail {
  #learned: string | undefined
  #recalled: readonly string[] = []
  readonly #seen = new Set<string>()
  #isOver = false

  get lastLearnedBlockId(): string | undefined {
    return this.#learned
  }

  get lastRecallBlockIds(): readonly string[] {
    return [...this.#recalled]
  }

  get sessionBlockIds(): readonly string[] {
    return [...this.#seen]
  }

  /** Forgets all of it, since another session begins. */
  begin(): void {
    this.#learned = undefined
    this.#recalled = []
    this.#seen.clear()
    this.#isOver = false
  }

  /** The session is over: the next write begins another one. */
  end(): void {
    this.#isOver = true
  }

  note(name: string, input: unknown, output: Told): void {
    const ids = listOf(output.blockIds)
    const learned = learnedBy(name, output, ids)
    const recalled = name === 'recall' && typeof output.recallId === 'string' ? ids : undefined
    const touched = touchedBy(name, Object(input), output)
    if (this.#isOver && [...learned, ...(recalled ?? []), ...touched].length > 0) this.begin()
    for (const id of learned) this.#learned = id
    if (recalled !== undefined) this.#recalled = recalled
    for (const id of [...learned, ...(recalled ?? []), ...touched]) this.#see(id)
  }

  /** Counts a block as seen; a beginning of an id counts as the block that is known by it. */
  #see(id: string): void {
    if (![...this.#seen].some((each) => each.startsWith(id))) this.#seen.add(id)
  }
}

function learnedBy(name: string, output: Told, ids: readonly string[]): readonly string[] {
  switch (name) {
    case 'remember':
      return created(output)
    case 'rememberMany':
      return objectsIn(output.results).flatMap(created)
    case 'learnDocument':
      return Number(output.chunksCreated) > 0 ? ids : []
    case 'setup':
      return ids
    case 'decide':
      return idsOf(output.blockId)
    default:
      return []
  }
}

function touchedBy(name: string, input: Told, output: Told): readonly string[] {
  if (/^connect(?:s|ByQuery)?$/.test(name)) {
    const made = [output, Object(output.connectResult), ...objectsIn(output.results)]
    const isMade = (each: Told) =>
      each.action !== 'dry_run_preview' && each.action !== 'insufficient_confidence'
    return made.filter(isMade).flatMap(({ sourceId, targetId }) => [...idsOf(sourceId), ...idsOf(targetId)])
  }
  if (name !== 'outcome' && name !== 'settle') return []
  const named = ['blockIds', 'helped', 'misled', 'beside'].flatMap((key) => listOf(input[key]))
  const judged = objectsIn(output.verdicts).flatMap(({ id }) => idsOf(id))
  const skipped = objectsIn(output.skipped).flatMap((each) => idsOf(each.blockId ?? each.id))
  const apart = new Set([...listOf(output.queued), ...skipped, ...listOf(output.skipped)])
  return [...listOf(output.credited), ...named, ...judged].filter((id) => !apart.has(id))
}

function created({ status, blockId }: Told): readonly string[] {
  return status === 'created' ? idsOf(blockId) : []
}

function idsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : []
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function objectsIn(value: unknown): readonly Told[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}
