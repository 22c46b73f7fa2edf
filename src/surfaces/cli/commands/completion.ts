import { kebabCase } from '../../../adapters/project/spelling.ts'
import { ElfmemError } from '../../../errors.ts'
import { operations } from '../../../operations/table.ts'
import { optionsOf, propertiesOf } from '../arguments.ts'
import { COMMANDS } from '../commands.ts'
import { GLOBAL_FLAGS, nameOfFlag, type ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'

/** The flags of each command, as they are typed. */
type Words = ReadonlyMap<string, string>

/** zsh runs the script of bash. */
const IN_ZSH = 'autoload -U +X compinit bashcompinit && compinit && bashcompinit\n'
const SHELLS = new Map<string, (words: Words) => string>([
  ['bash', bash],
  ['zsh', (words) => IN_ZSH + bash(words)],
  ['fish', fish],
])

/** Prints the script that completes the names of commands and their flags in one shell. */
export async function runCompletion({ positionals }: ParsedFlags, io: CliIo): Promise<number> {
  const [shell = ''] = positionals
  const script = SHELLS.get(shell)
  if (!script)
    throw new ElfmemError('INVALID_INPUT', `There is no completion for the shell "${shell}".`, {
      recovery: `Name one of ${[...SHELLS.keys()].join(', ')}.`,
    })
  const own = operations.map((operation) => {
    const properties = new Map(
      Object.entries(propertiesOf(operation)).map(([key, it]) => [kebabCase(key), it]),
    )
    // A switch that is off by default needs no flag that switches it off.
    const isOffered = (flag: string) =>
      !flag.startsWith('no-') || properties.has(flag) || properties.get(flag.slice(3))?.default === true
    return [kebabCase(operation.name), Object.keys(optionsOf(operation)).filter(isOffered)] as const
  })
  const others = COMMANDS.map(
    ({ name, options }) => [name, options.map(([flag]) => nameOfFlag(flag))] as const,
  )
  const typed = (flags: readonly string[]) =>
    [...flags, ...Object.keys(GLOBAL_FLAGS)].map((flag) => `--${flag}`).join(' ')
  io.stdout.write(script(new Map([...own, ...others].map(([name, flags]) => [name, typed(flags)]))))
  return EXIT_OK
}

function bash(words: Words): string {
  return `_elfmem() {
  local options='${[...words.keys()].join(' ')}'
  [ "$COMP_CWORD" -eq 1 ] || case "\${COMP_WORDS[1]}" in
${[...words].map(([name, flags]) => `    ${name}) options='${flags}' ;;`).join('\n')}
    *) options='' ;;
  esac
  COMPREPLY=($(compgen -W "$options" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _elfmem elfmem
`
}

function fish(words: Words): string {
  const names = `complete -c elfmem -f -n __fish_use_subcommand -a '${[...words.keys()].join(' ')}'`
  const flags = [...words].map(
    ([name, each]) => `complete -c elfmem -n '__fish_seen_subcommand_from ${name}' -a '${each}'`,
  )
  return `${[names, ...flags].join('\n')}\n`
}
