/** One change that a shell command makes to a git repository, as far as its words show. */
export type GitAct =
  | { readonly does: 'commit' }
  /** The newest commit goes. */
  | { readonly does: 'revert' }
  /** Changes that were not committed go; of these paths, or all. */
  | { readonly does: 'discard'; readonly paths: readonly string[] }

/** Signs that part commands, outside of quotes. */
const PARTING: ReadonlySet<string> = new Set([';', '|', '&', '\n'])
const ASSIGNMENT = /^[A-Za-z_]\w*=/
/** Options of git that take a word behind them. */
const WITH_WORD: ReadonlySet<string> = new Set(['-C', '-c', '--git-dir', '--work-tree'])
/** Our own command, programs that run it, and the words by which some of them do. */
const MEMORY = 'elfmem'
const IS_MEMORY = /^(?:npm:)?elfmem(?:@|$)/
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'npm', 'pnpm', 'yarn', 'bun', 'deno'])
const RUNS: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'run'])
/** Other programs that do one thing or another by the word behind them. */
const MANY_THINGS: ReadonlySet<string> = new Set([
  ...['git', 'gh', 'docker', 'podman', 'kubectl', 'helm', 'terraform', 'systemctl', 'apt', 'brew'],
  ...['cargo', 'go', 'dotnet', 'pip', 'uv', 'poetry', 'conda'],
])
const HEAD = /^(?:HEAD|@)$/
const BEFORE_HEAD = /^(?:HEAD|@)[~^]1?$/
/** A longer command is a script, of which the beginning is read. */
const READ_MOST = 10_000

/** The commands that a line of a shell runs, as words; quoted text is part of a word. One pass. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let word: string | undefined
  let quote = ''
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word)
    word = undefined
  }
  for (const sign of line.slice(0, READ_MOST)) {
    if (quote !== '') {
      if (sign === quote) quote = ''
      else word += sign
    } else if (sign === "'" || sign === '"') {
      quote = sign
      word ??= ''
    } else if (PARTING.has(sign)) {
      endWord()
      commands.push([])
    } else if (sign.trim() === '') endWord()
    else word = (word ?? '') + sign
  }
  endWord()
  return commands.map(withoutAssignments).filter((words) => words.length > 0)
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !ASSIGNMENT.test(word))
  return first < 0 ? [] : words.slice(first)
}

/**
 * The program that a line of a shell is about, the first that does more than change the folder; with the word that says which
 * of many things it does, as `git push`.
 */
export function programOf(line: string): string {
  const commands = commandsIn(line).filter(([program]) => program !== 'cd')
  const [program = '', ...words] = commands[0] ?? []
  const name = nameOf(program)
  const [task] = MANY_THINGS.has(name) || RUNNERS.has(name) ? withoutOptions(words) : []
  return task === undefined ? name : `${name} ${nameOf(task)}`
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** The changes that a line of a shell makes to a git repository, in its order. */
export function gitActsIn(line: string): readonly GitAct[] {
  return commandsIn(line).flatMap(([program = '', ...words]) => {
    if (nameOf(program) !== 'git') return []
    const act = actOf(withoutOptions(words))
    return act === undefined ? [] : [act]
  })
}

/** True if the line runs elfmem itself. */
export function callsMemory(line: string): boolean {
  return commandsIn(line).some(([program = '', ...words]) => {
    const name = nameOf(program)
    if (name === MEMORY) return true
    const run = words.find((word) => !word.startsWith('-') && !RUNS.has(word)) ?? ''
    return RUNNERS.has(name) && IS_MEMORY.test(nameOf(run))
  })
}

function withoutOptions(words: readonly string[]): readonly string[] {
  let at = 0
  while (words[at]?.startsWith('-')) at += WITH_WORD.has(words[at] as string) ? 2 : 1
  return words.slice(at)
}

function actOf([verb = '', ...words]: readonly string[]): GitAct | undefined {
  const named = words.filter((word) => !word.startsWith('-'))
  if (verb === 'commit') return words.includes('--dry-run') ? undefined : { does: 'commit' }
  if (verb === 'revert')
    return named.length === 1 && HEAD.test(named[0] ?? '') ? { does: 'revert' } : undefined
  if (verb === 'reset') return resetOf(words, named)
  if (verb === 'restore' && !words.includes('--staged')) return { does: 'discard', paths: pathsIn(named) }
  const dashes = words.indexOf('--')
  if (verb === 'checkout' && dashes >= 0) return { does: 'discard', paths: pathsIn(words.slice(dashes + 1)) }
  return undefined
}

function resetOf(words: readonly string[], [to = 'HEAD', ...more]: readonly string[]): GitAct | undefined {
  if (more.length > 0 || !words.includes('--hard')) return undefined
  if (BEFORE_HEAD.test(to)) return { does: 'revert' }
  return HEAD.test(to) ? { does: 'discard', paths: [] } : undefined
}

/** None stand for all. */
function pathsIn(paths: readonly string[]): readonly string[] {
  return paths.some((path) => path === '.') ? [] : paths
}
