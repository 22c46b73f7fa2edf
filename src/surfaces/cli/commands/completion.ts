import { kebabCase } from '../../../adapters/project/spelling.ts'
import { ElfmemError } from '../../../errors.ts'
import type { Operation } from '../../../operations/operation.ts'
import { operations } from '../../../operations/table.ts'
import { optionsOf, propertiesOf } from '../arguments.ts'
import { COMMANDS } from '../commands.ts'
import { GLOBAL_FLAGS, nameOfFlag, type ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'

interface Flag {
  readonly name: string
  readonly meaning: string
  /** Words that may follow it; empty when any may. */
  readonly choices: readonly string[]
}

interface Word {
  readonly name: string
  readonly summary: string
  readonly flags: readonly Flag[]
}

const SHELLS: Readonly<Record<string, (words: readonly Word[]) => string>> = { bash, zsh, fish }

/** Prints the script for one shell, drawn from the table. */
export async function runCompletion({ positionals }: ParsedFlags, io: CliIo): Promise<number> {
  const [shell = ''] = positionals
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (!script)
    throw new ElfmemError(
      'INVALID_INPUT',
      shell === '' ? 'Which shell is it for?' : `There is no completion for "${shell}".`,
      { recovery: `Name one of ${Object.keys(SHELLS).join(', ')}.` },
    )
  io.stdout.write(script(words()))
  return EXIT_OK
}

function words(): Word[] {
  const everywhere = Object.keys(GLOBAL_FLAGS).map((name) => ({ name, meaning: '', choices: [] }))
  const all = [
    ...operations.map((operation) => ({
      name: kebabCase(operation.name),
      summary: operation.summary,
      flags: flagsOf(operation),
    })),
    ...COMMANDS.map(({ name, summary, options }) => ({
      name,
      summary,
      flags: options.map(([flag, meaning]) => ({ name: nameOfFlag(flag), meaning, choices: [] })),
    })),
  ]
  return all.map((word) => ({ ...word, flags: [...word.flags, ...everywhere] }))
}

function flagsOf(operation: Operation): Flag[] {
  const properties = new Map(
    Object.entries(propertiesOf(operation)).map(([key, each]) => [kebabCase(key), each]),
  )
  const switchesOff = (name: string) => name.startsWith('no-') && !properties.has(name)
  const offered = Object.keys(optionsOf(operation)).filter(
    (name) => !switchesOff(name) || properties.get(name.slice('no-'.length))?.default === true,
  )
  return offered.map((name) => {
    const schema = properties.get(name)
    return { name, meaning: schema?.description ?? '', choices: (schema?.enum ?? []).map(String) }
  })
}

function bash(words: readonly Word[]): string {
  const cases = words.map(({ name, flags }) => {
    const choices = flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `      --${flag.name}) options='${flag.choices.join(' ')}' ;;`)
    const all = flags.map((flag) => `--${flag.name}`).join(' ')
    const inner =
      choices.length === 0
        ? []
        : ['      case "$previous" in', ...choices.map((line) => `  ${line}`), '      esac']
    return [`    ${name})`, `      options='${all}'`, ...inner, '      ;;'].join('\n')
  })
  return `_elfmem() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    options='${words.map(({ name }) => name).join(' ')}'
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -o default -F _elfmem elfmem
`
}

/** Returns the script for bash, which zsh runs as well. */
function zsh(words: readonly Word[]): string {
  return `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${bash(words)}`
}

function fish(words: readonly Word[]): string {
  const lines = words.flatMap(({ name, summary, flags }) => [
    `complete -c elfmem -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map(({ name: flag, meaning, choices }) => {
      const takes = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ''
      return `complete -c elfmem -n '__fish_seen_subcommand_from ${name}' -l ${flag}${takes} -d ${quoted(meaning)}`
    }),
  ])
  return `${lines.join('\n')}\n`
}

/** Puts a text in single quotes, as all three shells read them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
