export {
  type FoundPath,
  formatPath,
  litPath,
  PATH,
  type PathKey,
  paintPath,
  parsePath,
  pathArrows,
  pathPids,
  pathSpan,
} from "./critical-path.ts";
