/** Settings that there were, by group in camelCase. What was their default holds, as a constant beside its formula. */
const GONE: Readonly<Record<string, string>> = {
  conflicts: `
    cosineFloor wordTagLength wordTags wordTagsPerBlock`,
  embeddings: `
    maxRetries`,
  frames: `
    belief boosts centrality classes exclude guarantee include queryless recency relations sessionOnly
    weights`,
  graph: `
    apartCosine centralShare counterpoints disconnectHours edgeScoreWeights edgeTimeHours pendingAlert
    pendingAttempts suggestions veryAlikeCosine weightWarnDistance`,
  hooks: `
    sessionsKept`,
  implicit: `
    checkWeight citationWeight correctionWeight`,
  learning: `
    firstSlope fullSlope generalPrior gradedWeight leastTrust misledWeight ownPrior questionFrom
    questionFull questionsMost recallsKept replacedCosine reportedWithin slopePrior uncitedWeight`,
  limits: `
    batchItems documentBytes idsPerCall itemBytes listCalls listItems nameBytes noteBytes queryBytes recallTokens`,
  llm: `
    blocksPerCall charactersPerBlock charactersPerSide classifyEdges corrections failuresInARow
    labelConfidence maxUnlabelledPairs pairsPerCall pairsPerDream pendingPerDream temperature
    unrelatedConfidence`,
  memory: `
    adaptivePolicy autoDreamBatchMs autoDreamLeaseSeconds bridgeQuantile coRetrievalApartWeight coRetrievalBlocks
    coRetrievalSameMinutes coRetrievalStagingMax coRetrievalWeight coRetrievalWhen curateReinforceTop
    dreamScan edgeCosineFloor edgePruneThreshold edgeReinforceDelta edgeScoreThreshold
    edgeUnsharedCosine establishedReinforcements keepOutcomes lambdaCeiling maxCueBytes maxTags
    nearDuplicateCosine outcomeEdgeFactor outcomePairsPerCall outcomeReinforceThreshold
    penalizeThreshold penaltyFactor penaltyImmuneLambda reembedSample waitingBatch`,
  prompts: `
    processBlockFile validSelfTags`,
  recall: `
    agreement cueWeight dateWords edgeNotes expansionNeighbours fullWords gateFloor gateWidth lentEnough
    lexicalNorm lexicalWindow loneWordExponent lookAlikeCosine lookAlikePenalty nameShare
    normalisationFloor otherSourceMargin pool powerMean questionPenalty relations sourceWeight
    throughNames throughNamesCap throughNamesShare vectorWindow versionsMost versionsReach whenBonus
    wordsSizeLoss`,
  rescore: `
    driftWarningCount driftWarningPercent enabled excludeCategories excludeTags maxPerRun minAgeHours
    targetMaxAgeDays`,
  store: `
    agentBackups agentExports scopesHeld`,
}

/** Returns true if there was a setting or group of this path, in camelCase; of frames the path has the frame between. */
function isGone([group = '', ...names]: readonly string[]): boolean {
  if (!Object.hasOwn(GONE, group)) return false
  const gone = (GONE[group] ?? '').split(/\s+/)
  return names.length === 0 || names.some((name) => gone.includes(name))
}

/** Returns the sentence for a setting that there was, by its path in camelCase; undefined for any other path. */
export function goneSetting(path: readonly string[], spelled: string): string | undefined {
  if (!isGone(path)) return undefined
  return `${spelled} is no setting any more and is ignored: what was its default holds.`
}

/** Returns the sentence for an environment variable of a setting that there was; undefined for any other variable. */
export function goneVariable(name: string): string | undefined {
  const [, group = '', ...words] = name.toLowerCase().split('_')
  const frame = group === 'frames' && words[0] === 'short' ? words.slice(2) : words.slice(1)
  const key = (group === 'frames' ? frame : words).join('_')
  const camel = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return goneSetting([group, camel], `The environment variable ${name}`)
}
