/** A type of the library besides the input and the result of each operation. */
export interface TypeName {
  readonly name: string
  readonly meaning: string
}

/**
 * The types that have a name, by the first place where each stands: what stands in more than one place, or what a
 * program passes on. Whatever else an answer holds is declared in its place.
 */
export const TYPE_NAMES: Readonly<Record<string, TypeName>> = {
  'RememberResult.mayReplace[]': {
    name: 'ReplaceableBlock',
    meaning: 'An earlier block whose place a new one seems to take.',
  },
  'RememberResult.redacted[]': {
    name: 'RedactedSecrets',
    meaning: 'Secrets of one kind that a mark took the place of.',
  },
  'RememberManyInput.blocks[]': { name: 'RememberSpec', meaning: 'One thing that is to be remembered.' },
  'RememberManyResult.results[]': {
    name: 'RememberedBlock',
    meaning: 'The result for one thing to remember.',
  },
  'InboxResult.blocks[]': { name: 'WaitingBlock', meaning: 'A block that waits for a dream.' },
  'InboxResult.pairs[]': {
    name: 'PairToLabel',
    meaning: 'A pair of blocks whose relation nobody has named yet.',
  },
  'PairToLabel.newer': { name: 'PairedBlock', meaning: 'A block of such a pair.' },
  'InboxResult.openPairs[]': {
    name: 'OpenPair',
    meaning: 'A pair of blocks that somebody is to decide about.',
  },
  'InboxResult.pendingJudgement[]': { name: 'BlockToJudge', meaning: 'A block whose judgement is pending.' },
  'InboxResult.outdated[]': { name: 'OutdatedBlock', meaning: 'A block that rests on what holds no more.' },
  'DecisionsResult.decisions[]': { name: 'Decision', meaning: 'Something that somebody is to decide.' },
  'Decision.first': { name: 'DecidedBlock', meaning: 'A block that a decision is about.' },
  'Decision.choices[]': { name: 'DecisionChoice', meaning: 'One way to decide.' },
  'OutdatedBlock.restsOnOutdated[]': {
    name: 'OutdatedGround',
    meaning: 'Something that a block rests on and that holds no more.',
  },
  'DreamInput.hostAnalyses{}': { name: 'HostAnalysis', meaning: 'Your judgement about one block.' },
  'DreamInput.edgeLabels[]': { name: 'EdgeLabel', meaning: 'Your judgement about a pair of blocks.' },
  'DreamResult.evictedEdges[]': {
    name: 'EvictedEdge',
    meaning: 'An edge as it was when it was evicted for another one.',
  },
  'DreamResult.conflicts[]': {
    name: 'DreamConflict',
    meaning: 'A pair of blocks that a dream found, to decide about with `resolve`.',
  },
  'DreamResult.pendingDropped[]': {
    name: 'DroppedConnection',
    meaning: 'A waiting connection that was given up.',
  },
  'ImportFromResult.samples[]': {
    name: 'ImportSample',
    meaning: 'A text that an import found, as the block that it makes.',
  },
  'ImportFromResult.left[]': {
    name: 'ImportLoss',
    meaning: 'Things of one kind that an import does not keep.',
  },
  'RecallResult.blocks[]': { name: 'RecalledBlock', meaning: 'A block of an answer of `recall`.' },
  'RecalledBlock.versions[]': {
    name: 'BlockVersion',
    meaning: 'A block that stands under another one, which says what holds in its place.',
  },
  'RecalledBlock.explanation': { name: 'ScoreExplanation', meaning: 'How a block came by its score.' },
  'RecalledBlock.path': { name: 'EdgePath', meaning: 'The edge that brought a block, and where it began.' },
  'RecallCandidate.under': { name: 'StandsUnder', meaning: 'The block that another one stands under.' },
  'RecallResult.candidates[]': {
    name: 'RecallCandidate',
    meaning: 'A block that a recall weighed or could have, shown or not.',
  },
  'RecallCandidate.short': {
    name: 'RecallShortfall',
    meaning: 'By how much a candidate missed being shown.',
  },
  'RecallResult.dropped[]': {
    name: 'DroppedBlock',
    meaning: 'A candidate that is not in the answer, and why.',
  },
  'RecallResult.counterpoints[]': {
    name: 'Counterpoint',
    meaning: 'A block that contradicts one of the answer.',
  },
  'RecallResult.suggestedConnections[]': {
    name: 'SuggestedConnection',
    meaning: 'Two blocks that may be worth connecting.',
  },
  'OutcomeResult.skipped[]': { name: 'SkippedBlock', meaning: 'A block that was left out, and why.' },
  'ConnectByQueryResult.sourceRunnersUp[]': {
    name: 'ConnectCandidate',
    meaning: 'A block that may be the one described.',
  },
  'ConnectByQueryResult.connectResult': {
    name: 'Connected',
    meaning: 'The result for one connection.',
  },
  'ConnectsInput.edges[]': { name: 'ConnectSpec', meaning: 'Two blocks and what is said about them.' },
  'ConnectsResult.errors[]': {
    name: 'RefusedConnection',
    meaning: 'A connection that was refused, and why.',
  },
  'LsResult.blocks[]': { name: 'ListedBlock', meaning: 'A block in a list.' },
  'ListedBlock.details': { name: 'BlockDetails', meaning: 'How a block of a list stands.' },
  'FacetsResult.tag': { name: 'Facet', meaning: 'How many blocks have each value.' },
  'ShowResult.block': { name: 'WholeBlock', meaning: 'A block with all that is known about it.' },
  'GraphResult.nodes[]': { name: 'GraphNode', meaning: 'A block as the graph shows it.' },
  'GraphResult.edges[]': { name: 'GraphEdge', meaning: 'An edge as the graph shows it.' },
  'GraphResult.columns': { name: 'GraphColumns', meaning: 'Nodes and edges of a graph as columns.' },
  'ReembedResult.from': { name: 'EmbeddingModel', meaning: 'The model that vectors were made with.' },
  'StatusResult.tokens.lifetime': {
    name: 'TokenUsage',
    meaning: 'Calls of models, and the tokens that they took.',
  },
  'StatusResult.lastDream': { name: 'LastDream', meaning: 'What the last dream came to.' },
  'StatusResult.activity[]': { name: 'DayActivity', meaning: 'What was done on a UTC day.' },
  'DoctorResult.checks[]': { name: 'DoctorCheck', meaning: 'The result of one check.' },
  'HistoryResult.operations[]': { name: 'LoggedOperation', meaning: 'An entry of the log.' },
  'LoggedOperation.dream': { name: 'DreamRecord', meaning: 'What a dream came to.' },
  'LoggedOperation.changes[]': { name: 'LoggedChange', meaning: 'One value that an operation changed.' },
  'DiffResult.learned[]': { name: 'ChangedBlock', meaning: 'A block that changed, and when.' },
}

/** Names that a type had before, which stay. */
export const FORMER_NAMES: Readonly<Record<string, string>> = { DisplacedEdge: 'EvictedEdge' }
