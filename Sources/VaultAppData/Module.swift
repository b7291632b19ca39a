public enum _AppData {}
