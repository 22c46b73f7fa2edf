export { type MemoryFileHandlers, type MemoryFilesOptions, memoryFiles } from './memory-files.ts'
