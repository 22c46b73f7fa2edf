import { ElfmemError } from '../../errors.ts'

/** The refusal to judge anew by rules alone. */
export function rescoreWithoutModel(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'rescore judges with a model, and noLlm forbids one.', {
    recovery: 'Drop one of the two.',
  })
}

/** Returns the refusal to judge anew without a model. */
export function noModel(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'rescore needs a model, and none is configured.', {
    recovery: 'Judge blocks yourself: inbox() with pendingJudgement, then dream() with hostAnalyses.',
  })
}
