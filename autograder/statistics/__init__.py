"""What a class's points say of its exercises and checks: classical item statistics."""
