/** The choice of what to erase; one of these. */
export interface ErasingChoice {
  /** Ids of blocks, or the beginnings of some. */
  readonly ids?: readonly string[] | undefined
  /** Literal tags, or prefixes ending in `*`. */
  readonly tags?: readonly string[] | undefined
  readonly sources?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  /** All blocks that hold all of these words, each as a whole word, in any case. */
  readonly words?: readonly string[] | undefined
}

/** A block that would be erased, or words that a block no longer has. */
export interface ChosenBlock {
  readonly id: string
  /** `undone`: no row is left of it but in what `undo` needs. `before`: only its words of before an edit go. */
  readonly status: 'inbox' | 'active' | 'archived' | 'undone' | 'before'
  readonly content: string
}

/** The blocks that a choice means, and the ids that it cannot mean. */
export interface Chosen {
  /** Each once, oldest first. */
  readonly blocks: readonly ChosenBlock[]
  /** Ids given that no block has. */
  readonly unknown: readonly string[]
  /** Beginnings of ids given that several blocks have. */
  readonly ambiguous: readonly string[]
}

/** How often texts that are looked for stand in a file. */
export interface FoundInFile {
  readonly path: string
  readonly bytes: number
  readonly times: number
  /** It cannot be read, so nobody knows. */
  readonly isUnread?: true
}

/** The blocks to be erased, and the treatment of copies beside the memory that hold them. */
export interface ErasingRequest {
  readonly blocks: readonly ChosenBlock[]
  readonly copies: 'keep' | 'delete'
}

/** Result of an erasing, or, where nothing was to be done yet, what there is. */
export interface ErasingReport {
  /** Number of texts that are looked for. */
  readonly texts: number
  /** Kept blocks that hold one of these texts; at most 20. */
  readonly standingIn: readonly string[]
  /** Files of the memory as they were. */
  readonly before: readonly FoundInFile[]
  /** The same afterwards; empty where nothing was erased. */
  readonly after: readonly FoundInFile[]
  /** Backups and exports beside the memory that hold the blocks, or cannot be read. */
  readonly copies: readonly string[]
  readonly deleted: readonly string[]
  /** Copies at other places that hold the blocks, or cannot be read; these are left alone. */
  readonly elsewhere: readonly string[]
  /** True if database, log and index hold no byte of the texts any more. */
  readonly isFinished: boolean
}

/**
 * Erases blocks for ever.
 *
 * Rows and log change in one transaction, which also notes that an erasing is under way. The note is removed when the
 * files of the memory hold the texts no more. A process that is killed in between leaves a whole memory, and
 * `finish` does the rest. Every open connection notices (`Changes.generation` grows).
 */
export interface ErasingFiles {
  choose(choice: ErasingChoice): Promise<Chosen>
  /** Only says what would be found. */
  survey(blocks: readonly ChosenBlock[]): Promise<ErasingReport>
  erase(request: ErasingRequest): Promise<ErasingReport>
  /** Does the rest of an erasing that did not end; undefined when there is none. */
  finish(copies: ErasingRequest['copies']): Promise<ErasingReport | undefined>
  /** Removes the note, when the erasing is finished and the record of it is kept. */
  settle(): Promise<void>
}

/** Key of `meta` that is there while an erasing is not finished. */
export const UNFINISHED_ERASING = 'unfinished_erasing'

/** Key of `meta` with the paths of copies that were made elsewhere, as a JSON list. */
export const COPIES_ELSEWHERE = 'copies_elsewhere'
