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

/** How often words that are looked for stand in a file. */
export interface FoundInFile {
  readonly path: string
  readonly bytes: number
  /** Whole contents, summaries, cues and notes. */
  readonly texts: number
  /** Six words in a row. */
  readonly runs: number
  readonly words: number
  /** It is there and may not be read, so nobody knows. */
  readonly unread?: true
}

/** Numbers of what is looked for. */
export interface LookedFor {
  readonly texts: number
  readonly runs: number
  readonly words: number
  /** Forms that stand in a kept block too, and therefore are not looked for. */
  readonly standing: number
  /** Kept blocks that hold a whole text, six words or a number or code of theirs; at most 20. */
  readonly standingIn: readonly string[]
  /** The same, all of them counted. */
  readonly standingInCount: number
  /** Makes the digests of this list unlike those of any other. */
  readonly salt: string
  /** The first 16 hex digits of sha256 over the salt and each form looked for. */
  readonly digests: readonly string[]
}

/** A file that still holds words, and why. */
export interface HeldFile {
  readonly path: string
  readonly reason: string
  /** The remedy: a sentence. */
  readonly remedy: string
}

/** The blocks to be erased, and the treatment of their copies. */
export interface ErasingRequest {
  readonly blocks: readonly ChosenBlock[]
  /** The treatment of backups and exports that hold something. */
  readonly copies: 'rewrite' | 'delete'
}

/** Result of an erasing, or, where nothing was to be done yet, what there is. */
export interface ErasingReport {
  readonly lookedFor: LookedFor
  /** True where it does the rest of an erasing that began earlier: its `before` counts as well. */
  readonly continues: boolean
  /** Files of the memory as they were. */
  readonly before: readonly FoundInFile[]
  /** The same afterwards; empty where nothing was erased. */
  readonly after: readonly FoundInFile[]
  readonly rewritten: readonly string[]
  readonly deleted: readonly string[]
  /** Not empty: the erasing is not finished, and is reported until it is. */
  readonly held: readonly HeldFile[]
  /** Files that are not the memory's own and hold the words: these are left alone. */
  readonly elsewhere: readonly string[]
  /** Files beside the memory that were not looked at: too many, too large, or not to be read. */
  readonly unread: number
}

/**
 * Erases blocks for ever.
 *
 * What must hold: rows and log change in one transaction that also notes that an erasing is under way; the note goes when no
 * file of the memory holds the words any more. A process that is killed in between leaves a whole memory, and
 * `finish` does the rest. Every open connection notices (`Changes.generation` grows).
 */
export interface ErasingFiles {
  choose(choice: ErasingChoice): Promise<Chosen>
  /** Only says what would be found. */
  survey(blocks: readonly ChosenBlock[]): Promise<ErasingReport>
  erase(request: ErasingRequest): Promise<ErasingReport>
  /** Does the rest of an erasing that did not end; undefined when there is none. */
  finish(copies: ErasingRequest['copies']): Promise<ErasingReport | undefined>
  /** Removes the note, when nothing is held and the record of the erasing is kept. */
  settle(): Promise<void>
}

/** Key of `meta` that is there while an erasing is not finished. */
export const UNFINISHED_ERASING = 'unfinished_erasing'

/** Key of `meta` with the paths of copies that were made elsewhere, as a JSON list. */
export const COPIES_ELSEWHERE = 'copies_elsewhere'
