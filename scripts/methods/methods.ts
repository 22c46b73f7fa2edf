import type { Operation } from '../../src/operations/operation.ts'
import { commentOf, indented } from './comment.ts'
import { methodWords, ownersNotes } from './method-words.ts'
import { FORMER_NAMES, TYPE_NAMES } from './type-names.ts'
import { isOptional, TypeTexts } from './type-text.ts'

const HEAD = `// Made by \`npm run docs\` from the records of the operations, and not in git. Change a record, not this file.
import type { CallContext } from './call-context.ts'
`

/** The declarations of the library's methods, of their inputs and results and of the types in them. */
export function renderMethods(operations: readonly Operation[]): string {
  const types = new TypeTexts()
  const own = operations.flatMap((operation) => inputAndResult(operation, types))
  const methods = operations.map(methodOf).join('\n\n')
  const all = declared(
    'Operations',
    methods,
    'One method for each operation; `String(result)` is its summary.',
  )
  mustBeDeclared(types)
  return `${[HEAD, all, ...own, ...types.declared.values(), ...formerNames()].join('\n\n')}\n`
}

/** Throws when a type is named at a place where none stands any more. */
function mustBeDeclared({ declared }: TypeTexts): void {
  const gone = Object.entries(TYPE_NAMES).filter(([, name]) => !declared.has(name))
  if (gone.length > 0) throw new Error(`no type stands at ${gone.map(([at]) => at).join(', ')}`)
}

function formerNames(): readonly string[] {
  return Object.entries(FORMER_NAMES).map(
    ([former, name]) => `${commentOf([`The former name of \`${name}\`.`])}export type ${former} = ${name}`,
  )
}

function declared(name: string, fields: string, words: string): string {
  return `${commentOf([words])}export interface ${name} {\n${indented(fields)}\n}`
}

function inputAndResult(operation: Operation, types: TypeTexts): readonly string[] {
  const { name, input, output } = operation
  const [given, answer] = [inputName(name), resultName(name)]
  const taken = types.fieldsOf(input, 'input', given, ownersNotes(operation))
  const told = types.fieldsOf(output, 'output', answer)
  return [
    declared(given, taken, `The arguments of \`${name}\`.`),
    declared(answer, told, `The result of \`${name}\`.`),
  ]
}

function methodOf(operation: Operation): string {
  const { name, input } = operation
  const needs = Object.values(input.shape).some((field) => !isOptional(field, 'input'))
  const signature = `${name}(input${needs ? '' : '?'}: ${inputName(name)}, context?: CallContext)`
  return `${commentOf(methodWords(operation))}${signature}: Promise<${resultName(name)}>`
}

const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const inputName = (name: string) => `${capital(name)}Input`
const resultName = (name: string) => `${capital(name)}Result`
