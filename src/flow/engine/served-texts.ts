import type { Block } from '../../domain/block/block.ts'
import {
  type FrameItem,
  idsOfVersions,
  idsUnder,
  isAnswerNote,
  readFrame,
  tellsOf,
  withoutId,
  withoutMark,
  withoutNumber,
} from '../../domain/safety/frame.ts'
import { shown, shownVersion } from '../../domain/safety/visible.ts'
import { undressed } from '../../domain/text/same-text.ts'
import { stampAfter } from './stamp-after.ts'
import { formsToFind, WrappedForms } from './wrapped-forms.ts'

/** Blocks whose texts are kept in mind, those shown last. */
const KEPT_MOST = 200
/** Answers that are kept as they were until somebody writes, the last ones. */
const UNREAD_MOST = 40
/** Other lines of answers that are kept in mind. */
const LINES_MOST = 50

/** A block, and all that frames wrote of it. */
interface Served {
  readonly block: Block
  readonly forms: Set<string>
  readonly headings: Set<string>
  /** Lines about its other versions, with the version's block where a line is about one. */
  readonly versions: Map<string, Block | undefined>
}

/** A part of a text that says again what was shown. */
export interface Recognised {
  /** Absent for a line of a frame that is about no single block. */
  readonly block?: Block
  /** Nothing but a frame writes it so. */
  readonly isOfFrame: boolean
}

/**
 * The texts that recall returned lately, so that an agent that pastes them back makes no copy. A part of a text is
 * known only when a frame wrote exactly that about that very block, or when it says the same as the block.
 */
export class ServedTexts {
  /** By id, the one shown last at the end. */
  readonly #served = new Map<string, Served>()
  readonly #byForm = new Map<string, string>()
  readonly #lines = new Set<string>()
  /** Answers that nobody has read into the maps yet: who only asks pays nothing for what it could write. */
  readonly #unread: { readonly text: string; readonly blocks: readonly Block[] }[] = []

  /** Made when a text is looked into, from what was read until then. */
  #wrapped: { readonly forms: WrappedForms; readonly scope: string } | undefined

  #lookedUp = false

  get isEmpty(): boolean {
    return this.#served.size === 0 && this.#unread.every(({ blocks }) => blocks.length === 0)
  }

  /** True once, and only while nothing was shown: others may have shown something. */
  wantsLookUp(): boolean {
    const wants = !this.#lookedUp && this.isEmpty
    this.#lookedUp = true
    return wants
  }

  /** Forgets all of it. */
  clear(): void {
    this.#served.clear()
    this.#byForm.clear()
    this.#lines.clear()
    this.#unread.length = 0
    this.#wrapped = undefined
  }

  /** Keeps what an answer showed: its text, and all blocks that stand in it. */
  note(text: string, blocks: readonly Block[]): void {
    this.#unread.push({ text, blocks })
    if (this.#unread.length > UNREAD_MOST) this.#unread.shift()
  }

  /** Reads what answers showed since the last time, before anything is looked for in it. */
  #settle(): void {
    for (const { text, blocks } of this.#unread.splice(0)) this.read(text, blocks)
    for (const id of [...this.#served.keys()].slice(0, Math.max(0, this.#served.size - KEPT_MOST)))
      this.#forget(id)
  }

  /** Keeps the same at once. */
  read(text: string, blocks: readonly Block[]): void {
    this.#wrapped = undefined
    const known = [...blocks].sort((one, other) => other.content.length - one.content.length)
    let owner: Served | undefined
    for (const item of readFrame(text)) {
      if (item.kind === 'heading') continue
      if (item.kind === 'version') {
        owner?.versions.set(
          item.text,
          known.find(({ content }) => tellsOf(item.text, shownVersion(content))),
        )
        continue
      }
      const block = known.find((each) => stampAfter(withoutMark(item.text), each) !== undefined)
      if (block === undefined) this.noteLine(item.text)
      else owner = this.#keep(block, item)
    }
  }

  /** Keeps a line that an answer had besides its entries. */
  noteLine(line: string): void {
    this.#wrapped = undefined
    this.#lines.add(line)
    const [oldest] = this.#lines
    if (this.#lines.size > LINES_MOST && oldest !== undefined) this.#lines.delete(oldest)
  }

  /** The block that was shown with these words; its content may be another by now. */
  blockOf(text: string, scope: string | undefined): Block | undefined {
    this.#settle()
    return this.#servedAs([text, undressed(text)], scope)?.block
  }

  /** All that was shown, to be found in texts whose lines were broken anew. */
  wrapped(scope = ''): WrappedForms {
    this.#settle()
    if (this.#wrapped?.scope !== scope) this.#wrapped = { forms: this.#wrappedOf(scope), scope }
    return this.#wrapped.forms
  }

  #wrappedOf(scope: string): WrappedForms {
    const all = new WrappedForms()
    for (const { block, forms, headings, versions } of this.#served.values()) {
      if ((block.scope ?? '') !== scope) continue
      for (const form of formsToFind(
        block,
        [...forms].map((form) => form.slice(scope.length + 1)),
      ))
        all.add(form)
      for (const line of versions.keys()) all.add({ pattern: line, line, kind: 'entry' })
      for (const line of headings) all.add({ pattern: line, line, kind: 'line' })
    }
    for (const line of this.#lines) all.add({ pattern: line, line, kind: 'line' })
    return all
  }

  /** True if blocks stand in the order in which they were shown. */
  areInOrder(blocks: readonly Block[]): boolean {
    this.#settle()
    const places = new Map([...this.#served.keys()].map((id, place) => [id, place]))
    const placeOf = (block: Block | undefined) => places.get(block?.id ?? '') ?? -1
    return blocks.every((block, i) => i === 0 || placeOf(blocks[i - 1]) <= placeOf(block))
  }

  /** Returns what a part of a text, read as a frame's, repeats; `owner` is the entry before it. */
  recognise(
    item: FrameItem,
    {
      scope,
      owner,
      isOneOfMany,
    }: { scope: string | undefined; owner: Block | undefined; isOneOfMany: boolean },
  ): Recognised | undefined {
    this.#settle()
    if (item.kind === 'version') return this.#version(item.text, owner)
    const isUnder = isAnswerNote(item.text) || this.#areShown(idsUnder(item.text))
    if (isUnder || this.#lines.has(item.text)) return { isOfFrame: false }
    const numbered = withoutNumber(item.text)
    // A mark of a list needs a list: before a single text it may be a sign.
    const bare = isOneOfMany ? item.text.replace(/^[-*] /, '') : item.text
    // So it is with a line that is all bold, whatever its words are.
    const plain = isOneOfMany ? withoutNumber(bare.replace(BOLD, '$2')) : bare
    const served =
      this.#servedAs([numbered, item.text, bare, plain, undressed(item.text), undressed(bare)], scope) ??
      this.#servedWithId(numbered, scope) ??
      this.#servedWithId(plain, scope)
    if (served === undefined) return undefined
    if (item.heading !== undefined && !served.headings.has(item.heading)) return undefined
    const isMarked = numbered !== item.text || item.text.startsWith('[!]')
    return { block: served.block, isOfFrame: isMarked || item.heading !== undefined }
  }

  /** The entry of a frame that a line of one begins with, and the words behind it on the same line. */
  beginning(
    { text, heading }: FrameItem,
    scope = '',
  ): { readonly block: Block; readonly rest: string } | undefined {
    const numbered = withoutNumber(text)
    if (numbered === text && heading === undefined) return undefined
    const line = `${scope}\0${numbered}`
    let longest: { readonly block: Block; readonly form: string } | undefined
    for (const { block, forms } of this.#served.values())
      for (const form of forms)
        if (form.length > (longest?.form.length ?? 0) && line.startsWith(`${form} `))
          longest = { block, form }
    return longest && { block: longest.block, rest: line.slice(longest.form.length).trim() }
  }

  #version(line: string, owner: Block | undefined): Recognised | undefined {
    const holders = owner === undefined ? [...this.#served.values()] : [this.#served.get(owner.id)]
    const holder = holders.find((each) => each?.versions.has(line))
    if (holder === undefined)
      return owner !== undefined && this.#areShown(idsOfVersions(line)) ? { isOfFrame: true } : undefined
    const block = holder.versions.get(line)
    return { isOfFrame: true, ...(block === undefined ? {} : { block }) }
  }

  #areShown(ids: readonly string[] | undefined): boolean {
    if (ids === undefined) return false
    const versions = [...this.#served.values()].flatMap((each) => [...each.versions.values()])
    const known = [...this.#served.keys(), ...versions.flatMap((block) => block?.id ?? [])]
    return ids.every((id) => known.some((each) => each.startsWith(id)))
  }

  /** The block that was shown without its id, and is said again with it. */
  #servedWithId(text: string, scope: string | undefined): Served | undefined {
    const found = withoutId(text)
    const served = found && this.#servedAs([found.entry, withoutMark(found.entry)], scope)
    return served?.block.id.startsWith(found?.id ?? '') ? served : undefined
  }

  #servedAs(forms: readonly string[], scope = ''): Served | undefined {
    const ids = forms.map((form) => this.#byForm.get(`${scope}\0${form}`))
    return this.#served.get(ids.find((id) => id !== undefined) ?? '')
  }

  #keep(block: Block, { text, heading }: FrameItem): Served {
    const before = this.#served.get(block.id)
    const isSame = before?.block.content === block.content
    this.#forget(block.id)
    const body = withoutMark(text)
    const stamp = stampAfter(body, block) ?? ''
    const plain = body.slice(0, body.length - stamp.length)
    const forms = [
      withoutNumber(text),
      body,
      plain,
      undressed(block.content),
      undressed(shown(block.content)),
      ...withoutIdOf(block, [withoutNumber(text), body]),
    ]
    const served: Served = {
      block,
      forms: new Set([
        ...(isSame ? before.forms : []),
        ...forms.map((form) => `${block.scope ?? ''}\0${form}`),
      ]),
      headings: new Set([...(isSame ? before.headings : []), ...(heading === undefined ? [] : [heading])]),
      versions: new Map(isSame ? before.versions : []),
    }
    this.#served.set(block.id, served)
    for (const form of served.forms) this.#byForm.set(form, block.id)
    return served
  }

  #forget(id: string): void {
    const served = this.#served.get(id)
    if (served === undefined) return
    this.#served.delete(id)
    for (const form of served.forms) if (this.#byForm.get(form) === id) this.#byForm.delete(form)
  }
}

/** A line that is bold from end to end. */
const BOLD = /^(\*\*|__)(?=\S)(.*)\1$/

/** The same entries without the block's id, those that had it. */
function withoutIdOf({ id }: Block, entries: readonly string[]): string[] {
  return entries.flatMap((each) => {
    const found = withoutId(each)
    return found !== undefined && id.startsWith(found.id) ? [found.entry] : []
  })
}
