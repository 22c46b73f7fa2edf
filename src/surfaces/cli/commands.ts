import type { CommandFacts } from './flags.ts'

/** The part of `doctor` that is about clients, in the place of the memory. */
export const CLIENTS_DOCTOR: CommandFacts = {
  name: 'doctor',
  summary: 'Look at the clients of this machine instead: what they were told, and whether it works.',
  options: [
    ['--clients', 'look at the clients instead: what they were told of the server, and whether it starts'],
    ['--client <names>...', 'with --clients: only at these'],
  ],
  honours: ['json', 'quiet'],
}

/** The commands besides the operations. */
export const COMMANDS: readonly CommandFacts[] = [
  {
    name: 'init',
    summary: 'Give this project a memory of its own: .elfmem with a config.',
    details:
      'Never overwrites anything, follows no link, and trusts what it makes. Prints what to paste into an MCP client.',
    options: [
      ['--client <names>...', 'tell these clients, or all that are found, of the server instead'],
      ['--hooks', 'with --client: its hooks recall with each prompt, where elfmem knows them'],
      ['--user', 'with --client: in your own files, for all projects'],
      ['--scope <text>', 'with --client: the scope to serve; that of the project unless given'],
      ['--whole', 'with --client: the whole memory, of all projects'],
      ['--dry-run', 'with --client: show what would change'],
      ['--yes', 'with --client: change it without asking'],
      ['--here', 'in this directory even when one above it has a memory'],
    ],
    honours: ['json', 'quiet', 'url', 'token-file'],
    needs: { client: ['url', 'user', 'hooks', 'scope', 'whole', 'dry-run', 'yes'] },
    excludes: {
      client: ['here'],
      whole: ['hooks', 'scope'],
      url: ['hooks', 'scope', 'whole'],
    },
  },
  {
    name: 'uninstall',
    summary: 'Take out of the files of clients what init --client put there. The memory stays.',
    details: 'Out of files of this project and your own. Comments and all other entries stay.',
    options: [
      ['--client <names>...', 'of these clients, or all'],
      ['--project', 'only in files of this project'],
      ['--user', 'only in your own files'],
      ['--dry-run', 'show what would change'],
      ['--yes', 'change it without asking'],
    ],
    honours: ['json', 'quiet'],
    excludes: { project: ['user'] },
  },
  {
    name: 'trust',
    usage: '[path]',
    summary: 'Say that the memory and config of a project may be used; until then yours are.',
    details:
      'Without a path the project around this directory. It is known again by its folder and its memory.',
    options: [
      ['--list', 'the projects you trust'],
      ['--remove', 'trust it no longer'],
    ],
    honours: ['json', 'quiet'],
    excludes: { list: ['remove'] },
  },
  {
    name: 'dashboard',
    summary: 'Look at this memory in a browser, correct it and decide about what waits.',
    details: 'It listens on this machine alone, until Ctrl-C; the link that it prints works once.',
    options: [
      ['--port <number>', 'the port; the first that is free from 4600 on unless given'],
      ['--read-only', 'nothing can be changed'],
      ['--no-open', 'only print the link'],
      ['--scope <text>', 'see one scope of the memory only'],
      ['--demo', 'look at the memory of the demo instead, read only'],
    ],
    honours: ['quiet', 'db', 'memory', 'config', 'new', 'env-file'],
    excludes: { demo: ['scope', 'db', 'config'] },
  },
  {
    name: 'review',
    summary: 'Decide, one by one, about what waits for you: proposals, pairs, outdated blocks, predictions.',
    details:
      'Shows both sides with the words that differ in brackets, and what each choice does; nothing is chosen for you. Away from a terminal it lists what waits.',
    options: [
      [
        '--kind <name>',
        'only proposal, contradiction, supersession, perhaps_newer, near_duplicate, outdated or prediction',
      ],
      ['--scope <text>', 'only this project or conversation'],
    ],
    honours: ['json', 'quiet', 'db', 'memory', 'config', 'as', 'env-file', 'url', 'token-file'],
  },
  {
    name: 'serve',
    summary: 'Speak MCP over standard input and output, or over HTTP.',
    details:
      'For an MCP client to start; ends when the client closes its side. With --http it listens on this machine until it is ended, and each request needs a token (elfmem tokens). With --url it hands each call on to a service, for a client that takes no remote server.',
    options: [
      ['--project-scope', 'serve the scope of the project around; a memory of its own is served whole'],
      ['--scope <text>', 'serve one scope of the memory: no call reaches another'],
      [
        '--tools <verbs|agent|all>',
        'the tools it lists and calls, or a list such as recall,remember; agent unless given, here or by ELFMEM_TOOLS',
      ],
      ['--as <owner|reader>', 'what the client may do; it is an agent unless this is said'],
      ['--hooks', 'answer hooks of the client, too, and keep to the project around this directory'],
      ['--no-socket', 'with --hooks: no socket for hooks that are commands, such as those of Gemini CLI'],
      ['--output-schemas', 'list what the answers of the tools hold, too, for a client that checks them'],
      ['--http', 'listen for MCP over HTTP, and print the address'],
      ['--port <number>', 'the port, 3536 unless given; 0 takes one that is free'],
      ['--host <name>', 'the address to listen at, 127.0.0.1 unless given'],
      ['--socket <path>', 'a socket file in the place of a port'],
      [
        '--allow-remote',
        'let others than this machine connect: needs a token made by hand, and TLS in front',
      ],
      ['--memories <dir>', 'with --http: a folder of memories, each for the tokens that name it'],
      ['--store <url>', 'with --http: the memories of a PostgreSQL database; also ELFMEM_STORE'],
      [
        '--memory-mb <number>',
        "megabytes that open memories may take, a quarter of the machine's unless given",
      ],
    ],
    honours: ['quiet', 'db', 'memory', 'config', 'new', 'as', 'env-file', 'url', 'token-file'],
    needs: { http: ['port', 'host', 'socket', 'allow-remote', 'memories', 'store', 'memory-mb'] },
    excludes: {
      scope: ['project-scope'],
      http: ['hooks', 'no-socket', 'project-scope', 'url'],
      url: ['scope', 'hooks', 'no-socket', 'project-scope'],
      socket: ['port', 'host', 'allow-remote'],
    },
  },
  {
    name: 'tokens',
    usage: '[list|add|revoke]',
    summary: 'The tokens that open this memory, or those of a service, to clients of elfmem serve --http.',
    details:
      'A token is shown once, when it is made; only its hash is kept, in your own folder, or where the memories of a service are. It counts, and ends, at once.',
    options: [
      ['--name <text>', 'lower-case letters, digits, dots and dashes; the log names it'],
      ['--memories <dir>', 'the tokens of a service with this folder of memories'],
      ['--store <url>', 'the tokens of a service with this PostgreSQL database; also ELFMEM_STORE'],
      ['--expires <span>', 'how long it opens, such as 90d, 12h or 30m; until it is revoked unless given'],
      ['--as <owner|agent|reader>', 'what its holder may do; agent unless given'],
      ['--scope <text>', 'the scope that no call of it leaves'],
      [
        '--tools <verbs|agent|all>',
        'the tools it lists and calls, or a list of them; those of the server unless given',
      ],
    ],
    honours: ['json', 'quiet', 'db', 'memory', 'config', 'as', 'env-file'],
  },
  {
    name: 'hook',
    usage: '[client]',
    summary: 'Answer a hook of a coding agent by the server of this project, as elfmem-hook does sooner.',
    details: 'Takes JSON on standard input and answers with JSON; {} where no `elfmem serve --hooks` runs.',
    options: [['--scope', 'instead print the scope in which hooks keep the memories of this project']],
    honours: [],
  },
  {
    name: 'config',
    summary: 'Show every setting, and which rule chose the database and the config.',
    options: [['--all', 'also the settings that have their default']],
    honours: ['json', 'quiet', 'db', 'memory', 'config', 'env-file'],
  },
  {
    name: 'move',
    summary: 'Copy a whole memory from a file into a PostgreSQL database, or back.',
    details:
      'With its log and its undo, into a place that has no memory yet; kept only if every row is the same on both sides. The source stays as it is.',
    options: [
      ['--to <place>', 'where to: a file, or postgres://host/database; from the memory that --db names'],
    ],
    honours: ['json', 'quiet', 'db', 'memory', 'config', 'env-file'],
  },
  {
    name: 'migrate',
    summary: 'Make the tables of memories in a PostgreSQL database, or bring them up to date.',
    details: 'As the role that owns them, or is to own them. Opening a memory does the same if its role may.',
    options: [
      ['--store <url>', 'the database, postgres://owner@host/database'],
      ['--grant <role>', 'let this role work with the tables'],
      ['--print', 'only print the statements that make the tables anew, for somebody to read or to run'],
    ],
    honours: ['json', 'quiet', 'db', 'memory', 'config', 'env-file'],
  },
  {
    name: 'demo',
    summary: 'Watch a memory live: remember, dream, recall, learn from outcomes.',
    options: [],
    honours: [],
  },
]
