import type * as z from 'zod'
import { aliasOf } from '../../src/operations/schemas.ts'
import { commentOf, fieldWords, indented } from './comment.ts'
import { TYPE_NAMES } from './type-names.ts'

/** Whether a type is of what a caller passes or of what it gets; defaults and lists differ. */
export type Direction = 'input' | 'output'

/** What is known of a schema of Zod besides its type. */
type Definition = z.core.$ZodTypes['_zod']['def']

const definitionOf = (schema: z.core.$ZodType): Definition => (schema as z.core.$ZodTypes)._zod.def

/** Types in TypeScript of schemas, and the named ones among them, which are declared once. */
export class TypeTexts {
  /** The declarations by their names, in the order in which they were met. */
  readonly declared = new Map<string, string>()
  readonly #named = new Map<object, string>()
  /** Where the types stand that have no name. */
  readonly #inline = new Map<object, string>()

  /** The type of a schema. `at` names its place, for whoever must give it a name. */
  of(schema: z.core.$ZodType, direction: Direction, at: string): string {
    const definition = definitionOf(schema)
    const next = (each: z.core.$ZodType) => this.of(each, direction, at)
    switch (definition.type) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'unknown':
        return definition.type
      case 'literal':
        return definition.values.map(literal).join(' | ')
      case 'enum':
        return Object.values(definition.entries).map(literal).join(' | ')
      case 'array':
        return listOf(this.of(definition.element, direction, `${at}[]`), direction === 'input')
      case 'readonly':
        return readonlyOf(next(definition.innerType))
      case 'optional':
      case 'default':
        return next(definition.innerType)
      case 'union':
        return definition.options.map(next).join(' | ')
      case 'record':
        return `Readonly<Record<${next(definition.keyType)}, ${this.of(definition.valueType, direction, `${at}{}`)}>>`
      case 'pipe':
        return next(direction === 'input' ? definition.in : definition.out)
      case 'object':
        return this.#objectOf(schema, direction, at)
      default:
        throw new Error(`${at}: no type is known of a schema of the kind ${definition.type}`)
    }
  }

  /** The fields of an object, each with what its schema says of it. */
  fieldsOf(schema: z.core.$ZodType, direction: Direction, at: string, more: FieldNotes = {}): string {
    const definition = definitionOf(schema)
    if (definition.type !== 'object') throw new Error(`${at} is no object`)
    return Object.entries(definition.shape)
      .map(([name, field]) => {
        const mayMiss = isOptional(field, direction)
        const type = this.of(field, direction, `${at}.${name}`)
        const words = fieldWords(field, { direction, note: more[name] })
        const other = aliasOf(field as z.ZodType)
        const paragraphs = other === undefined ? [words] : [`${words}\n@deprecated Say \`${other}\`.`]
        return `${commentOf(paragraphs)}readonly ${name}${mayMiss ? '?' : ''}: ${type}${mayMiss ? ' | undefined' : ''}`
      })
      .join('\n')
  }

  /** A shape is the same in each copy of a schema that says something else of it. */
  #objectOf(schema: z.core.$ZodType, direction: Direction, at: string): string {
    const { shape } = definitionOf(schema) as z.core.$ZodObjectDef
    const named = TYPE_NAMES[at] ?? this.#named.get(shape)
    if (named === undefined) return this.#inlineOf(schema, direction, at)
    this.#named.set(shape, named)
    const text = `export interface ${named} {\n${indented(this.fieldsOf(schema, direction, named))}\n}`
    const known = this.declared.get(named)
    if (known !== undefined && known !== text) throw new Error(`${at}: another type is named ${named}`)
    this.declared.set(named, text)
    return named
  }

  #inlineOf(schema: z.core.$ZodType, direction: Direction, at: string): string {
    const { shape } = definitionOf(schema) as z.core.$ZodObjectDef
    const other = this.#inline.get(shape)
    if (other !== undefined && other !== at)
      throw new Error(`${other} and ${at} are one schema: name it in scripts/methods/type-names.ts`)
    this.#inline.set(shape, at)
    return `{\n${indented(this.fieldsOf(schema, direction, at))}\n}`
  }
}

/** What else is said of fields, by their names. */
export type FieldNotes = Readonly<Record<string, string>>

/** True if a field may be left out. */
export function isOptional(schema: z.core.$ZodType, direction: Direction): boolean {
  return (direction === 'input' ? schema._zod.optin : schema._zod.optout) !== undefined
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)
}

/** A caller may pass a list that it may not change, such as one of an answer. */
function listOf(element: string, isReadonly: boolean): string {
  const item = element.includes(' | ') && !element.startsWith('{') ? `(${element})` : element
  return `${isReadonly ? 'readonly ' : ''}${item}[]`
}

function readonlyOf(type: string): string {
  return type.endsWith('[]') && !type.startsWith('readonly ') ? `readonly ${type}` : type
}
