import { readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MemoryFileHandlers, memoryFiles } from '../../../src/integrations/anthropic/index.ts'
import { openTestMemory, temporaryFolder } from '../../helpers/memory.ts'

type Command = { readonly command: keyof MemoryFileHandlers } & Readonly<Record<string, unknown>>

/** What a model reads of a command: its text, or the message of its error. */
async function read(handlers: object, command: Command): Promise<string> {
  const run = (handlers as Readonly<Record<string, (command: Command) => Promise<string>>>)[command.command]
  try {
    return (await run?.call(handlers, command)) ?? 'no such command'
  } catch (error) {
    return `Error: ${(error as Error).message}`
  }
}

async function both(options = { virtual: false }) {
  const { memory } = await openTestMemory({ kind: 'memory' })
  const folder = temporaryFolder()
  const theirs = await BetaLocalFilesystemMemoryTool.init(folder)
  return { ours: memoryFiles(memory, options), theirs, memory, folder }
}

const path = fc.constantFrom(
  ...['/memories', '/memories/', '/memories/a.md', '/memories/a.md/x', '/memories/d', '/memories/d/b.md'],
  ...['/memories/d/e/c.md', '/memories/d/e/f/deep.md', '/memories/../etc', '/memories/d/../a.md'],
  ...['/memories/d/../../memories/a.md', '/memories//a.md', '/memories/./d/', '/etc/passwd', 'memories/a.md'],
  ...[
    '/memories/.hid',
    '/memories/node_modules/x',
    '/memories/Ä 🙂.md',
    '/memories/...',
    '/memories/a.md.',
    '/memories/__proto__',
  ],
)
const text = fc.constantFrom(
  ...['', 'one', 'one\ntwo\n', 'tea\n- port 4210\n- tea', '$& $1 $$', '\r\nÄ🙂\r\n', '\n\n', '# Head\n\none'],
)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    command: fc.constant('view' as const),
    path,
    view_range: fc.constantFrom(
      ...[undefined, [1, 1], [2, -1], [0, 99], [5, 2], [-3, 2], [1, -2], [2], [1.5, 2]],
    ),
  }),
  fc.record({ command: fc.constant('create' as const), path, file_text: text }),
  fc.record({
    command: fc.constant('str_replace' as const),
    path,
    old_str: fc.constantFrom('one', 'tea', '4210', 'two', '', '$&', '🙂'),
    new_str: text,
  }),
  fc.record({
    command: fc.constant('insert' as const),
    path,
    insert_line: fc.integer({ min: -1, max: 5 }),
    insert_text: fc.constantFrom('x', 'x\n', '', '\n\n', 'x\ny'),
  }),
  fc.record({ command: fc.constant('delete' as const), path }),
  fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }),
)

/** An answer without the sizes of folders, which the file system of the reference decides. */
const sized = (said: string, isFolder: (path: string) => boolean) =>
  said.replace(/^[\d.]+[BKMG]\t(.*)$/gm, (line, at: string) => (isFolder(at) ? `DIR\t${at}` : line))

/** True where the reference is known to be wrong: the states may differ from there on. */
const isBug = (said: string) => /ENOTDIR|EINVAL|EISDIR|EEXIST|ERR_/.test(said)

/** Takes the folders away that hold no file any more: the reference keeps them, and makes some for what it then refuses. */
function prune(folder: string): void {
  for (const each of readdirSync(folder, { withFileTypes: true })) {
    const inside = join(folder, each.name)
    if (!each.isDirectory()) continue
    prune(inside)
    if (readdirSync(inside).length === 0) rmdirSync(inside)
  }
}

/** Gives both the same commands and returns how many answers were compared. */
async function compare(commands: readonly Command[]): Promise<number> {
  const { ours, theirs, memory, folder } = await both()
  const isFolder = (path: string) =>
    statSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() === true
  try {
    for (const at of ['/memories/d/e/f/kept.md', '/memories/node_modules/kept.md'])
      for (const files of [ours, theirs]) await read(files, { command: 'create', path: at, file_text: '' })
    for (const [at, each] of commands.entries()) {
      const [expected, found] = [await read(theirs, each), await read(ours, each)]
      if (isBug(expected)) {
        expect(found).toMatch(/^Error: (?!.*(tmp|E[A-Z]+:))/)
        return at
      }
      expect([each, sized(found, isFolder)]).toEqual([each, sized(expected, isFolder)])
      prune(join(folder, 'memories'))
    }
    return commands.length
  } finally {
    await memory.close()
  }
}

test('memoryFiles answers any commands byte for byte as the files of the SDK', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
      compared += await compare(commands)
    }),
    { numRuns: 100 },
  )
  expect(compared).toBeGreaterThan(250)
})
