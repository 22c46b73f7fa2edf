import * as z from 'zod'
import { type JsonSchema, kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { exampleCommand } from '../../src/surfaces/cli/as-commands.ts'
import { markdownTable, rangeOf, typeOf } from './schema.ts'

const INTRODUCTION = `# Reference

Every operation of a memory, in the order of the data. One record in \`src/operations/\` makes the library method, the command,
the MCP tool and the section here. Names are camelCase in the library, \`kebab-case\` on the command line and \`snake_case\` over
MCP and in \`--json\`. Any id may be shortened to a prefix that only one block has.

## Names

One thing has one name: how many is \`limit\`, a frame \`frame\`, belief \`confidence\`, the text of a block \`content\`. "Another
name of" marks names of the Python elfmem. As arguments they are taken everywhere, but not beside the name itself, and MCP does
not list them. In answers both fields stand, on every surface. The editor strikes such names through.

## Errors

Every refusal is an \`ElfmemError\` with a \`code\`, a sentence, a \`recovery\` and \`details\`, which the compiler knows by the
code. Four guards name what \`connect\` refuses:

\`\`\`ts
try {
  await memory.connect({ source: '3f2a9c1e', target: 'b7d041aa' })
} catch (error) {
  if (SelfLoopError.is(error)) console.error('one block twice', error.details.blockId)
  else if (ElfmemError.is(error) && error.code === 'NOT_FOUND') console.error('no block', error.details.blockId)
  else throw error
}
\`\`\`

| guard | holds for |
|---|---|
| \`SelfLoopError\` | \`SELF_LOOP\`: both ends are one block |
| \`BlockNotActiveError\` | \`NOT_FOUND\` and \`WRONG_STATUS\` of an end: no block, archived, or waiting for a dream (\`details.status\`) |
| \`DegreeLimitError\` | \`INVALID_INPUT\` where a block is full and no more connections may wait (\`details.pendingConnections\`) |
| \`ConnectError\` | all of these, \`EDGE_EXISTS\` and \`RELATION_CONFLICT\` |

\`instanceof\` works with all of them; \`is\` also knows errors of another copy of the package.

This page is generated; change the record and run \`npm run docs\`.`

/** docs/reference.md for a table. */
export async function renderReference(operations: readonly Operation[]): Promise<string> {
  const index = operations.map(({ name, summary }) => [`[${name}](#${name.toLowerCase()})`, summary])
  const sections = await Promise.all(operations.map(sectionOf))
  return `${[INTRODUCTION, markdownTable(['operation', 'what it does'], index).join('\n'), ...sections].join('\n\n')}\n`
}

/** What a call costs, in words. */
export const COSTS: Readonly<Record<Operation['cost'], string>> = {
  instant: 'one short transaction',
  embedding: 'a transaction and at most a few embeddings',
  batch: 'as many embeddings as there is to embed',
}

/** What a call does to the memory, in words. */
export const EFFECTS: Readonly<Record<Operation['effect'], string>> = {
  read: 'reads',
  write: 'writes',
  destroy: 'takes something out of sight',
}

async function sectionOf(operation: Operation): Promise<string> {
  const { name, summary, guide, effect, cost, idempotent } = operation
  const command = exampleCommand(operation)
  const facts = [
    EFFECTS[effect],
    COSTS[cost],
    ...(idempotent ? ['calling it twice changes nothing more'] : []),
  ]
  return [
    `## ${name}`,
    `${summary}`,
    `\`memory.${name}()\` · \`elfmem ${kebabCase(name)}\` · \`elfmem_${snakeCase(name)}\` — ${facts.join('; ')}.`,
    [`- **When:** ${guide.when}`, `- **Instead:** ${guide.whenNot}`, `- **Next:** ${guide.next}`].join('\n'),
    ['```ts', guide.example, '```', '```sh', command, '```'].join('\n'),
    ...argumentsOf(operation),
    ...resultOf(operation),
  ].join('\n\n')
}

function argumentsOf({ input, positionals = [] }: Operation): string[] {
  const schema = z.toJSONSchema(input, { io: 'input' }) as JsonSchema
  const rows = Object.entries(schema.properties ?? {}).map(([key, each]) => [
    `\`${key}\`${schema.required?.includes(key) ? ' *' : ''}`,
    typeOf(each),
    [rangeOf(each), each.default === undefined ? '' : `default \`${JSON.stringify(each.default)}\``]
      .filter(Boolean)
      .join('; '),
    each.description ?? '',
  ])
  if (rows.length === 0) return ['It takes no arguments.']
  const words = positionals.map((key) => `\`${kebabCase(key)}\``).join(', ')
  return [
    markdownTable(['argument', 'type', 'limits', 'meaning'], rows).join('\n'),
    `* = must be given.${words && ` The command takes ${words} without a flag.`}`,
  ]
}

function resultOf({ output }: Operation): string[] {
  const schema = z.toJSONSchema(output) as JsonSchema
  const rows = [...resultRows(schema, '')]
  return [markdownTable(['result', 'type', 'meaning'], rows).join('\n')]
}

function* resultRows(schema: JsonSchema, at: string): Generator<string[]> {
  for (const [key, each] of Object.entries(schema.properties ?? {})) {
    const optional = schema.required?.includes(key) ? '' : '?'
    const path = `${at}${key}`
    yield [`\`${path}\`${optional}`, typeOf(each), each.description ?? '']
    if (each.aliasOf !== undefined) continue
    if (each.items?.properties) yield* resultRows(each.items, `${path}[].`)
    else yield* resultRows(each, `${path}.`)
  }
}
