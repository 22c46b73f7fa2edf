import { settingsSchema } from '../../../config/settings.ts'
import { isRecord, type RawSettings } from '../settings-schema.ts'
import { snakeCase } from '../spelling.ts'
import { valueAt } from './allowed-settings.ts'

/** What is left of a project's settings, and what was taken out, as files spell it. */
export interface RightSettings {
  readonly values: RawSettings
  readonly wrong: readonly string[]
}

/**
 * What a project gives without the values that cannot hold: a file that came with a project must not keep its owner from
 * the memory.
 *
 * @param mergedWith all settings, if the project gave these
 */
export function rightOf(
  values: RawSettings,
  mergedWith: (values: RawSettings) => RawSettings,
): RightSettings {
  const wrong: string[] = []
  let kept = values
  for (;;) {
    const issues = settingsSchema.safeParse(mergedWith(kept)).error?.issues ?? []
    const [path] = issues.flatMap((issue) => [givenAt(kept, issue.path)].filter((each) => each !== undefined))
    if (path === undefined) return { values: kept, wrong }
    wrong.push(path.map(snakeCase).join('.'))
    kept = without(kept, path)
  }
}

/** The longest part of a path that the settings give; undefined if they give nothing of it. */
function givenAt(values: RawSettings, path: readonly PropertyKey[]): readonly string[] | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length).map(String)
    if (valueAt(values, part) !== undefined) return part
  }
  return undefined
}

function without(values: RawSettings, [key = '', ...rest]: readonly string[]): RawSettings {
  const { [key]: value, ...others } = values
  if (rest.length === 0 || !isRecord(value)) return others
  return { ...others, [key]: without(value, rest) }
}
