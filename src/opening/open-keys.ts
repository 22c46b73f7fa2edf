import type { Settings } from '../config/settings.ts'
import type { KeyVariable } from '../flow/engine/engine.ts'
import { keyVariableOf, providerOf } from './open-language-model.ts'

/** The environment variables in which keys are looked for, and whether they are set; never what they hold. */
export function keyVariables(
  { embeddings, llm }: Pick<Settings, 'embeddings' | 'llm'>,
  env: Readonly<Record<string, string | undefined>>,
): KeyVariable[] {
  const provider = llm.model === undefined ? undefined : providerOf(llm.model, llm)
  const found = [
    {
      use: 'embeddings' as const,
      variable: embeddings.provider === 'http' ? embeddings.apiKeyEnv : undefined,
    },
    { use: 'llm' as const, variable: provider && keyVariableOf(provider, llm) },
  ]
  return found.flatMap(({ use, variable }) =>
    variable === undefined ? [] : [{ use, variable, isSet: (env[variable] ?? '').trim() !== '' }],
  )
}
