/** A command that is about elfmem itself rather than about memories. */
export interface CommandFacts {
  readonly name: string
  readonly usage?: string
  readonly summary: string
  readonly details?: string
  readonly options: readonly (readonly [flag: string, meaning: string])[]
}

/** Every command besides the operations. */
export const COMMANDS: readonly CommandFacts[] = [
  {
    name: 'init',
    summary: 'Give this project a memory of its own: .elfmem with a commented config.',
    details: 'Never overwrites anything. Prints what to paste into an MCP client.',
    options: [
      ['--global', 'in the home directory instead, for everything without a project'],
      ['--here', 'in this directory even when one above it has a memory'],
      ['--agent-name <text>', 'how the self frame addresses the agent'],
    ],
  },
  {
    name: 'serve',
    summary: 'Speak MCP over standard input and output.',
    details: 'For an MCP client to start; ends when the client closes its side.',
    options: [
      ['--scope <text>', 'serve one scope of the memory: no call reaches another'],
      ['--as <owner|reader>', 'what the client may do; it is an agent unless this is said'],
    ],
  },
  {
    name: 'config',
    summary: 'Show every setting, and which rule chose the database and the config.',
    options: [['--all', 'also the settings that have their default']],
  },
  {
    name: 'demo',
    summary: 'Watch a memory live: remember, dream, recall, learn from outcomes, fade.',
    options: [],
  },
  {
    name: 'completion',
    usage: '<bash|zsh|fish>',
    summary: 'Print a completion script for your shell.',
    details: 'For example: source <(elfmem completion bash)',
    options: [],
  },
]
